// Parts of commands as a user can type them.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The file that is running. Throws std::filesystem::filesystem_error without /proc.
std::filesystem::path running_program();

// What a user starts it by: in a package bin/NAME for lib/tapehead/LEVEL/NAME, else the file.
// Relative if it is below the working directory, otherwise absolute.
std::string program_path();

// The word unchanged, or in quotes if a shell would split or change it. A path that begins with -
// gets ./ in front, because a program would read it as an option.
std::string shell_word(std::string_view word);

}  // namespace tapehead
