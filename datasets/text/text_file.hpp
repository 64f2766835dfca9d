// Text files: their lines, checked, whatever the line ends and whether packed or not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

// The lines of a file of UTF-8 text, as TextReader has them. Throws IoError when the file cannot be
// read, and DataError, with file, line and byte, when it is empty or not UTF-8.
std::vector<std::string> read_lines(const std::filesystem::path& file);

// Where the line, by its number from 1, is not UTF-8: file, line, byte, and what to do.
std::optional<std::string> utf8_fault(std::string_view line, const std::filesystem::path& file,
                                      std::size_t number);

}  // namespace tapehead
