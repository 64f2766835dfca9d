// Stop signals: the first is noted, a second ends the process; handlers are restored afterwards.
#include "train/output/signals.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(RunSignals, the_first_signal_is_noted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    const StopSignals signals;
    EXPECT_EQ(signals.received(), 0);
    std::raise(signal);
    EXPECT_EQ(signals.received(), signal);
  }
  const StopSignals signals;  // the first of two kinds counts
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(signals.received(), SIGTERM);
}

TEST(RunSignals, one_that_comes_again_at_once_is_the_same_wish) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ChildProcess child([signal] {
      const StopSignals signals;
      for (int time = 0; time < 3; ++time) {
        std::raise(signal);
      }
      return signals.received() == signal ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0);
  }
}

TEST(RunSignals, one_that_comes_again_later_ends_the_process_and_another_kind_does_not) {
  std::map<int, std::unique_ptr<ChildProcess>> children;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    children[signal] = std::make_unique<ChildProcess>([signal] {
      const StopSignals signals;
      std::raise(signal);
      std::this_thread::sleep_for(same_stop + std::chrono::milliseconds(10));
      std::raise(signal);
      return 0;
    });
  }
  for (const auto& [signal, child] : children) {
    EXPECT_EQ(child->wait(), 128 + signal);
  }
  ChildProcess other([] {
    const StopSignals signals;
    std::raise(SIGHUP);
    std::this_thread::sleep_for(same_stop + std::chrono::milliseconds(10));
    std::raise(SIGTERM);
    return signals.received();
  });
  EXPECT_EQ(other.wait(), SIGHUP);
}

TEST(RunSignals, of_those_that_the_parent_ignored_only_a_hangup_stays_ignored) {
  ChildProcess hangup([] {
    std::signal(SIGHUP, SIG_IGN);
    int received = 0;
    {
      const StopSignals signals;
      std::raise(SIGHUP);
      received = signals.received();
    }
    std::raise(SIGHUP);
    return received;
  });
  EXPECT_EQ(hangup.wait(), 0);
  ChildProcess interrupted([] {
    std::signal(SIGINT, SIG_IGN);
    const StopSignals signals;
    std::raise(SIGINT);
    return signals.received();
  });
  EXPECT_EQ(interrupted.wait(), SIGINT);
}

TEST(RunSignals, a_pipe_that_nobody_reads_is_outlived) {
  ChildProcess child([] {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      return 1;
    }
    ::close(ends[0]);
    outlive_console();
    return ::write(ends[1], "x", 1) < 0 && errno == EPIPE ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(RunSignals, a_file_that_may_not_grow_is_outlived) {
  const TemporaryDirectory directory;
  ChildProcess child([&] {
    const int file = ::creat((directory / "file").c_str(), 0600);
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    outlive_file_limit();
    return ::write(file, "x", 1) < 0 && errno == EFBIG ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
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

}}  // namespace tapehead
