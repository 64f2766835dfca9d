// Parts of commands as a user can type them.
#pragma once

#include <string>
#include <string_view>

namespace tapehead {

// The path of the running program, in a package that of its launcher: relative if it is below the working directory, otherwise
// absolute.
std::string program_path();

// The word unchanged, or in quotes if a shell would split or change it.
std::string shell_word(std::string_view word);

}  // namespace tapehead
