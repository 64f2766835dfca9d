// Parts of commands as a user can type them.
#pragma once

#include <string>
#include <string_view>

namespace tapehead {

// The running program's path: from the working directory where it lies below it, else from the
// root.
std::string program_path();

// The word as it is, or in quotes where a shell would take it apart.
std::string shell_word(std::string_view word);

}  // namespace tapehead
