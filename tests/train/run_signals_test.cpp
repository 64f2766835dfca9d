// Stop signals: the first is noted, the second ends the process, and afterwards all is as before.
#include "train/run/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/child_process.hpp"

namespace tapehead {
namespace {

TEST(RunSignals, the_first_signal_is_noted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals signals;
    EXPECT_EQ(signals.received(), 0);
    std::raise(signal);
    EXPECT_EQ(signals.received(), signal);
  }
}

TEST(RunSignals, the_first_of_two_kinds_counts) {
  const StopSignals signals;
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(signals.received(), SIGTERM);
}

TEST(RunSignals, a_second_one_of_the_same_kind_ends_the_process) {
  for (const int signal : {SIGINT, SIGTERM}) {
    ChildProcess child([signal] {
      const StopSignals signals;
      std::raise(signal);
      std::raise(signal);
      return 0;
    });
    EXPECT_EQ(child.wait(), 128 + signal);
  }
}

TEST(RunSignals, a_signal_that_the_parent_ignored_is_heard) {
  ChildProcess child([] {
    std::signal(SIGINT, SIG_IGN);
    const StopSignals signals;
    std::raise(SIGINT);
    return signals.received();
  });
  EXPECT_EQ(child.wait(), SIGINT);
}

TEST(RunSignals, the_old_handlers_come_back) {
  static volatile std::sig_atomic_t heard = 0;
  const auto old = std::signal(SIGTERM, [](int) { heard = 1; });
  {
    const StopSignals signals;
  }
  std::raise(SIGTERM);
  EXPECT_EQ(heard, 1);
  std::signal(SIGTERM, old);
}

}  // namespace
}  // namespace tapehead
