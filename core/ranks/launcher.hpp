// The launcher of an MPI library that started this process, as its environment tells.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// The environment variables by which a launcher tells a process that it is a rank.

// Whether a launcher of Open MPI or MPICH, or one that knows PMI or PMIx, sets the variable.
bool is_launcher_variable(std::string_view name);

// The environment of this process, each "NAME=value", for a child that is no rank.
std::vector<std::string> environment_without_launcher();

enum class Launcher { none, openmpi, mpich };

struct Launched {
  Launcher by = Launcher::none;
  Index ranks = 1;  // 0: several or one, which the library will tell
};

// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Which launcher set these variables. If several did, the one of `preferred` counts. A launcher
// that knows PMI, such as Slurm's, counts as MPICH's, and one that knows PMIx as Open MPI's.
Launched launched(Launcher preferred, const Environment& environment);
Launched launched(Launcher preferred = Launcher::none);  // by the environment of this process

// "Open MPI" or "MPICH".
std::string_view library_of(Launcher launcher);

// The program that the launcher starts as ranks of one training: "tapehead-openmpi".
std::string program_of(Launcher launcher);

}  // namespace tapehead
