// Stop signals: Ctrl-C, SIGTERM, the loss of the terminal, and SIGUSR1, by which schedulers say
// that the time is nearly up, become a request that the training loop checks after each step.
#pragma once

#include "core/prelude.hpp"

#include <chrono>
#include <csignal>

namespace tapehead {

// If a signal comes again within this time, it is the same request, sent twice: timeout(1), for
// example, signals its command and then the command's process group.
inline constexpr std::chrono::seconds same_stop(1);

// While an object of this class exists, SIGINT, SIGTERM, SIGHUP and SIGUSR1 are only noted. A
// signal that comes again after `same_stop` or more ends the process as usual. SIGHUP stays ignored
// if it was ignored before, for example by nohup(1). There may be only one object at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // 0, or the first signal that came. A program stopped by it exits with 128 + the signal.
  int received() const;

 private:
  std::array<struct sigaction, 4> before_{};
};

// From now on the program continues if nobody reads its console any more: SIGPIPE is ignored, and
// writing there fails.
void outlive_console();

// From now on a write that would make a file larger than the process may write (ulimit -f) fails,
// instead of ending the process without a message: SIGXFSZ is ignored.
void outlive_file_limit();

}  // namespace tapehead
