// Turns stop signals into a request that the training loop checks after each step. The signals are
// Ctrl-C, SIGTERM, the loss of the terminal, and SIGUSR1, which schedulers send before time is up.
#pragma once

#include "core/prelude.hpp"

#include <chrono>
#include <csignal>

namespace tapehead {

// A signal that comes again within this time is the same request, sent twice: timeout(1), for
// example, signals its command and then the command's process group.
inline constexpr std::chrono::seconds same_stop(1);

// While an object of this class exists, SIGINT, SIGTERM, SIGHUP and SIGUSR1 are only noted. A
// signal that comes again after `same_stop` or more ends the process as usual. SIGHUP stays ignored
// if it was ignored before, for example by nohup(1). There may be only one object at a time.
class StopSignals : NotCopied {
 public:
  StopSignals();
  ~StopSignals();

  // The first signal that came, or 0. A program that it stops exits with 128 + the signal.
  int received() const;

 private:
  std::array<struct sigaction, 4> before_{};
};

// From now on the program continues if nobody reads its console any more: SIGPIPE is ignored, and
// writing there fails.
void outlive_console();

// From now on SIGXFSZ is ignored: a write beyond the limit on file sizes (ulimit -f) fails, instead
// of ending the process without a message.
void outlive_file_limit();

}  // namespace tapehead
