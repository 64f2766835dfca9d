// The program as a user can type it.
#pragma once

#include <string>

namespace tapehead {

// The running program's path: from the working directory where it lies below it, else from the
// root.
std::string program_path();

}  // namespace tapehead
