// How the program was started: alone, or by a launcher as one of several ranks.
#pragma once

#include "core/ranks/ranks.hpp"

namespace tapehead {

class Launch {
 public:
  Launch() = default;
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  virtual ~Launch() = default;

  virtual Ranks& ranks() = 0;

  // Whether this process prints. Only the first rank does.
  bool prints() { return ranks().first(); }

  // The default number of threads of this process. All ranks call it together.
  ThreadCount usual_threads() { return default_thread_count(ranks()); }

  // Throws ConfigError if there are several ranks and each would do the whole command.
  void expect_takes(std::string_view command);

  // For messages: how to start a command on as many ranks again, with Debian's name of the
  // launcher: "mpirun.openmpi -n 2 ". Empty if there is only one rank.
  std::string words();

  // Sets the seconds that a rank waits for other ranks before it reports which do not answer.
  virtual void set_deadline(double seconds) = 0;

  // The last call of every rank; waits for all ranks. Prints an error only once. Returns the exit
  // code, which is the same on all ranks.
  virtual int end(const RankEnd& mine) = 0;
};

std::unique_ptr<Launch> launch_alone();

// Each program links its own definition: the plain program runs alone, programs with MPI join the
// other ranks. Throws ConfigError, naming the right program, if a launcher started several
// processes of a program that cannot join them.
std::unique_ptr<Launch> join_launch();

}  // namespace tapehead
