// Finds the MPI launcher that started this process, by environment variables.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The environment for a child process that is not a rank. It has every "NAME=value" of this process
// except variables of launchers (Open MPI, MPICH, PMI, PMIx).
std::vector<std::string> environment_without_launcher();

enum class Launcher { none, openmpi, mpich };

struct Launched {
  Launcher by = Launcher::none;
  Index ranks = 1;  // 0: unknown until the library starts
};

// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Which launcher set these variables; by default, the variables of this process. If both launchers
// set some: MPICH if it is `preferred`, else Open MPI. A launcher with PMI, such as Slurm's, counts
// as MPICH; a launcher with PMIx counts as Open MPI.
Launched launched(
    Launcher preferred = Launcher::none,
    const Environment& environment = [](const char* name) { return std::getenv(name); });

std::string_view library_of(Launcher launcher);  // "Open MPI" or "MPICH"
std::string program_of(Launcher launcher);       // to run as ranks: "tapehead-openmpi"

}  // namespace tapehead
