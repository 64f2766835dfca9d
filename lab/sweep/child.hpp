// A child process of a sweep, which trains or scores one run.
#pragma once

#include <sys/types.h>

#include "core/prelude.hpp"

namespace tapehead {

struct ChildCommand {
  fs::path log;  // the child's output is appended here
  std::vector<std::string> arguments;
};

class SweepChild : NotCopied {
 public:
  // Starts this program, or another one. The child gets no signals from the terminal, gets SIGTERM
  // when the thread that made this object ends, and does not take itself for part of this process's
  // launch. Between fork and exec, only calls run that are safe with threads and MPI. Throws
  // IoError.
  explicit SweepChild(const ChildCommand& command, const fs::path& other = {});
  ~SweepChild();  // asks the child to end, but does not wait

  void send(int signal) const;

  // Nothing while it runs. Then its exit code, 128 + the signal that ended it, or 127: not started.
  std::optional<int> exit_code();

 private:
  pid_t id_;
  std::optional<int> exit_code_;
};

}  // namespace tapehead
