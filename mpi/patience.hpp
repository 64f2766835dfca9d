// How a rank waits: at first it looks as often as it can, later it leaves its core to others.
#pragma once

#include <sched.h>

#include <chrono>
#include <thread>

#include "core/clock.hpp"

namespace tapehead {

class Patience {
 public:
  // For the first millisecond, which is longer than most waits within a step, it returns at once.
  // Then it yields, and after 50 ms, in which most transfers have come to their end, it sleeps:
  // where ranks share a core, those that wait take next to nothing of it.
  void pause() {
    const double seconds = waited();
    if (seconds < look_seconds) {
      return;
    }
    looked_ = true;
    if (seconds < yield_seconds) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(seconds < 1 ? 50 : 1000));
    }
  }

  bool looked() const { return looked_; }  // whether it pauses by now

  double waited() const { return seconds_since(begin_); }

 private:
  static constexpr double look_seconds = 0.001;
  static constexpr double yield_seconds = 0.05;

  Clock::time_point begin_ = Clock::now();
  bool looked_ = false;
};

}  // namespace tapehead
