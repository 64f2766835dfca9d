// A child process of a sweep: a run's training or its scoring, apart from all others.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tapehead {

class SweepChild {
 public:
  // The child appends what it prints to `log`, and exits with what `body` returns, or with 1 and
  // the message on a line of its own when it throws. It gets no signal from the terminal, and
  // SIGTERM when this process dies. Call it from a process without other threads. Throws IoError.
  SweepChild(const std::filesystem::path& log, const std::function<int()>& body);
  SweepChild(const SweepChild&) = delete;
  SweepChild& operator=(const SweepChild&) = delete;
  ~SweepChild();  // ends it

  void send(int signal) const;

  // Nothing while it runs; then its exit code, or 128 + the signal that ended it.
  std::optional<int> exit_code();

 private:
  pid_t id_;
  std::optional<int> exit_code_;
};

// Becomes this program with these arguments; returns, with 127, only if that fails.
int become_program(std::vector<std::string> arguments);

}  // namespace tapehead
