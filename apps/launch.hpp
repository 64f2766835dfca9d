// How the program was started: alone, or by a launcher as one of several ranks.
#pragma once

#include "core/ranks/ranks.hpp"

namespace tapehead {

// The ranks of this launch. Each program links its own definition: the plain program runs alone,
// programs with MPI join the other ranks. Throws ConfigError, naming the right program, if a
// launcher started several processes of a program that cannot join them.
Ranks& join_launch();

// Throws ConfigError if there are several ranks and each would do the whole command.
void expect_takes(const Ranks& ranks, std::string_view command);

// For messages: how to start a command again on the same number of ranks, with Debian's name of the
// launcher: "mpirun.openmpi -n 2 ". Empty if there is only one rank.
std::string launch_words(const Ranks& ranks);

}  // namespace tapehead
