// The launcher of an MPI library that started this process, as its environment tells.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The environment of this process, each "NAME=value", for a child that is no rank: without the
// variables that a launcher of Open MPI or MPICH, or one that knows PMI or PMIx, sets.
std::vector<std::string> environment_without_launcher();

enum class Launcher { none, openmpi, mpich };

struct Launched {
  Launcher by = Launcher::none;
  Index ranks = 1;  // 0: several or one, which the library will tell
};

// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Which launcher set these variables; if several did, the one of `preferred`. A launcher that knows
// PMI, such as Slurm's, counts as MPICH's, and one that knows PMIx as Open MPI's.
Launched launched(Launcher preferred, const Environment& environment);
Launched launched(Launcher preferred = Launcher::none);  // by the environment of this process

std::string_view library_of(Launcher launcher);  // "Open MPI" or "MPICH"
std::string program_of(Launcher launcher);       // that runs as ranks: "tapehead-openmpi"

}  // namespace tapehead
