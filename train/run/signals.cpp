#include "train/run/signals.hpp"

#include <atomic>

namespace tapehead {

namespace {

// A handler gets nothing but the signal's number, so what it notes stands here.
std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait for a lock");

void note(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  struct sigaction action{};
  action.sa_handler = note;
  // Reset: the next one takes the default action. Restart: reads and writes under way go on.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

int StopSignals::received() const { return first_signal; }

}  // namespace tapehead
