// The plain program does not know MPI. It refuses to run as one of several ranks, because each
// process would take itself for the only one.

#include "apps/launch.hpp"

namespace tapehead {

Ranks& join_launch() {
  const Launched start = launched();
  if (start.ranks != 1) {
    throw ConfigError(
        "a launcher of {} started several processes of this program, which does not "
        "know MPI; start {} instead, which `./dev build mpi` builds",
        library_of(start.by), program_of(start.by));
  }
  return alone();
}

}  // namespace tapehead
