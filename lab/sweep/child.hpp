// A child process of a sweep: the training or the scoring of one run.
#pragma once

#include "core/prelude.hpp"

#include <sys/types.h>

namespace tapehead {

struct ChildCommand {
  std::filesystem::path log;  // what the child prints is appended here
  std::vector<std::string> arguments;
};

// What this process runs, also if its file has been replaced since.
inline const std::filesystem::path this_program = "/proc/self/exe";

class SweepChild {
 public:
  // Starts the program. It gets no signals from the terminal, gets SIGTERM when the thread that
  // made this object ends, and does not take itself for a part of this process's launch. Between
  // fork and exec only calls are made that are safe in a process with threads or MPI. Throws
  // IoError.
  explicit SweepChild(const ChildCommand& command,
                      const std::filesystem::path& program = this_program);
  SweepChild(const SweepChild&) = delete;
  SweepChild& operator=(const SweepChild&) = delete;
  ~SweepChild();  // asks it to end, which it may do later

  void send(int signal) const;

  // Nothing while it runs; then its exit code, 128 + the signal that ended it, or 127: not started.
  std::optional<int> exit_code();

 private:
  pid_t id_;
  std::optional<int> exit_code_;
};

}  // namespace tapehead
