// The child process of a sweep: what it does with streams and signals.
#include "lab/sweep/child.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "core/files/standard_streams.hpp"
#include "tests/support/program.hpp"
#include "train/output/signals.hpp"

namespace tapehead {
namespace {

int end_of(SweepChild& child) {
  std::optional<int> code;
  EXPECT_TRUE(wait_until([&] { return (code = child.exit_code()).has_value(); }));
  return code.value_or(-1);
}

int sleep_long() {
  constexpr unsigned long_time = 20;  // seconds
  ::sleep(long_time);
  return 0;
}

TEST(SweepChild, a_signal_right_after_the_start_is_not_lost) {
  const TemporaryDirectory here;
  const StopSignals signals;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    for (int time = 0; time < 20; ++time) {
      SweepChild child(here / "log", sleep_long);
      child.send(signal);
      ASSERT_EQ(end_of(child), 128 + signal) << time;
    }
  }
  EXPECT_EQ(signals.received(), 0);
}

TEST(SweepChild, a_hangup_that_is_ignored_is_ignored_there_too) {
  const TemporaryDirectory here;
  ChildProcess nohup([&] {
    std::signal(SIGHUP, SIG_IGN);
    const StopSignals signals;
    SweepChild child(here / "log", [] {
      std::raise(SIGHUP);
      return 7;
    });
    return end_of(child);
  });
  EXPECT_EQ(nohup.wait(), 7);
}

TEST(SweepChild, what_it_prints_is_in_its_log) {
  const TemporaryDirectory here;
  SweepChild child(here / "log", [] {
    write_output("one\n");
    write_message("two\n");
    return 0;
  });
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(content_of(here / "log"), "two\none\n");  // output is held back until the end
}

}  // namespace
}  // namespace tapehead
