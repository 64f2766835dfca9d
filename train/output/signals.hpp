// Stop signals: Ctrl-C, SIGTERM and the loss of the terminal become a wish that the training loop
// looks at after each step.
#pragma once

#include <array>
#include <chrono>
#include <csignal>

namespace tapehead {

// Within so much time a signal that comes again is the same wish, sent twice: timeout(1), for one,
// signals its command and then the command's process group.
inline constexpr std::chrono::seconds same_stop(1);

// While an object of this class lives, SIGINT, SIGTERM and SIGHUP are only noted; one that comes
// again after `same_stop` or more ends the process as usual. SIGHUP stays ignored where it was
// before, as by nohup(1). At most one object at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // 0, or the first that came. A program stopped so exits with 128 + the signal.
  int received() const;

 private:
  std::array<struct sigaction, 3> before_{};
};

// From here on a console that nobody reads any more ends nothing: SIGPIPE is ignored, and writing
// there fails.
void outlive_console();

}  // namespace tapehead
