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

  // Whether this process prints: one does for all of them.
  bool prints() { return ranks().first(); }

  // How many threads this process has unless the user says otherwise. All ranks call it together.
  ThreadCount usual_threads() { return default_thread_count(ranks()); }

  // Throws ConfigError for a command that several ranks would each do alone.
  void expect_takes(std::string_view command);

  // How a message's command begins that starts as many ranks again: "mpirun.openmpi -n 2 ", as
  // Debian calls the launchers. Empty for a process alone.
  std::string words();

  // For how many seconds a rank waits for others before it says which ones do not answer.
  virtual void set_deadline(double seconds) = 0;

  // The last call of every rank: waits for the others. Prints the error, if there is one, once for
  // all of them, and returns the exit code, which is the same on all.
  virtual int end(const RankEnd& mine) = 0;
};

std::unique_ptr<Launch> launch_alone();

// Each program links its own: the plain one works alone, those with MPI join the other ranks.
// Throws ConfigError, which names the right program, if a launcher started this one as one of
// several processes that it cannot join.
std::unique_ptr<Launch> join_launch();

}  // namespace tapehead
