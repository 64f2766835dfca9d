// A child process of a sweep: the training or the scoring of one run.
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
  // The child appends what it prints to `log`, and exits with the result of `body`. If `body`
  // throws, it exits with 1 and prints the message on its own line. It gets no signals from the
  // terminal, and gets SIGTERM when this process dies. Call it from a process without other
  // threads. Throws IoError.
  SweepChild(const std::filesystem::path& log, const std::function<int()>& body);
  SweepChild(const SweepChild&) = delete;
  SweepChild& operator=(const SweepChild&) = delete;
  ~SweepChild();  // ends it

  void send(int signal) const;

  // Nothing while it runs; afterwards its exit code, or 128 + the signal that ended it.
  std::optional<int> exit_code();

 private:
  pid_t id_;
  std::optional<int> exit_code_;
};

// Replaces the process by this program with these arguments. It returns, with 127, only if that
// fails.
int become_program(std::vector<std::string> arguments);

}  // namespace tapehead
