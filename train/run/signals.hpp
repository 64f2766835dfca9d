// Stop signals: Ctrl-C and SIGTERM become a wish that the training loop looks at after each step.
#pragma once

#include <csignal>

namespace tapehead {

// While an object of this class lives, the first SIGINT or SIGTERM is only noted; a second one of
// the same kind ends the process as usual. At most one object at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // 0, SIGINT or SIGTERM: the first that came. A program stopped so exits with 128 + the signal.
  int received() const;

 private:
  struct sigaction old_interrupt_{};
  struct sigaction old_terminate_{};
};

}  // namespace tapehead
