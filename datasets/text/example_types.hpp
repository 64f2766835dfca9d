// The types of examples: a file with one a line, and groups of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

// The type of each of a split's examples, from a file with one a line. Throws what read_lines
// throws, and DataError with file and line if a line is empty, or if there are more or fewer lines
// than in `text_file`, the file of the examples.
std::vector<std::string> read_types(const std::filesystem::path& file,
                                    const std::filesystem::path& text_file, std::size_t examples);

// "name = type type". Throws ConfigError that says only what is wrong.
TypeGroup parse_type_group(std::string_view text);

// The groups of the option. Throws DataError for a type that no example of these splits has, and
// for a group that has the name of a type.
std::vector<TypeGroup> type_groups(const std::vector<std::string>& option,
                                   const std::vector<Split>& splits);

}  // namespace tapehead
