// Text files: reads their lines and checks them, with any line ends, plain or gzipped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

// The lines of a file of UTF-8 text, as TextReader splits them. Throws IoError if the file cannot
// be read, and DataError, with file, line and byte, if it is empty or not UTF-8.
std::vector<std::string> read_lines(const std::filesystem::path& file);

// Throws IoError that names the option, and where a relative path begins, if there is no such file.
void expect_file(const std::filesystem::path& file, std::string_view option);

// The message for a line (from 1) that is not valid UTF-8: file, line, byte, and what to do.
std::optional<std::string> utf8_fault(std::string_view line, const std::filesystem::path& file,
                                      std::size_t number);

}  // namespace tapehead
