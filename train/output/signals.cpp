#include "train/output/signals.hpp"

#include <time.h>

#include <atomic>
#include <cerrno>

namespace tapehead {

namespace {

// A signal handler gets only the number of the signal, so its state is global.
struct Stop {
  int signal;
  std::atomic<std::int64_t> first = 0;  // nanoseconds of a steady clock; 0: not yet
};
std::array<Stop, 4> stops{{{SIGINT}, {SIGTERM}, {SIGHUP}, {SIGUSR1}}};
std::atomic<int> first_signal = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free &&
                  std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

// A signal handler may call clock_gettime. std::chrono's clocks do not promise that.
std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void note(int signal) {
  const int error = errno;
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  for (Stop& stop : stops) {
    std::int64_t first = 0;
    const std::int64_t time = now();
    if (stop.signal == signal && !stop.first.compare_exchange_strong(first, time) &&
        time - first >= std::chrono::nanoseconds(same_stop).count()) {
      // The signal is blocked while its handler runs. Afterwards the default action follows.
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // pending reads and writes continue
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    stops[i].first = 0;
    sigaction(stops[i].signal, nullptr, &before_[i]);
    if (stops[i].signal != SIGHUP || before_[i].sa_handler != SIG_IGN) {
      sigaction(stops[i].signal, &action, nullptr);
    }
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < stops.size(); ++i) {
    sigaction(stops[i].signal, &before_[i], nullptr);
  }
}

int StopSignals::received() const { return first_signal; }

void outlive_console() { std::signal(SIGPIPE, SIG_IGN); }

void outlive_file_limit() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace tapehead
