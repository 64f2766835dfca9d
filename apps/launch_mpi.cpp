// Programs with MPI join the ranks that a launcher of their MPI library started. A process alone,
// with or without a launcher, does not call MPI.

#include "apps/launch.hpp"
#include "mpi/mpi_ranks.hpp"

namespace tapehead {

Ranks& join_launch() {
  const Launcher own = Communicator::launcher();
  const Launched start = launched(own);
  if (start.ranks == 1) {
    return alone();
  }
  if (start.by != own) {
    throw ConfigError(
        "a launcher of {} started several processes of this program, which knows {}; "
        "start {} instead, which `./dev build mpi` builds",
        library_of(start.by), library_of(own), program_of(start.by));
  }
  static MpiRanks ranks;
  return ranks;
}

}  // namespace tapehead
