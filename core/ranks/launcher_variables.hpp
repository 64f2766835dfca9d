// The environment variables by which a launcher tells a process that it is a rank.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

// Whether a launcher of Open MPI or MPICH, or one that knows PMI or PMIx, sets the variable.
bool is_launcher_variable(std::string_view name);

// The environment of this process, each "NAME=value", for a child that is no rank.
std::vector<std::string> environment_without_launcher();

}  // namespace tapehead
