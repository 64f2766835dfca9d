// The child process of a sweep: its streams and signals.
#include "lab/sweep/child.hpp"

#include <unistd.h>

#include <csignal>

#include "core/files/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"
#include "train/output/signals.hpp"

namespace tapehead { namespace {

int end_of(SweepChild& child) {
  std::optional<int> code;
  EXPECT_TRUE(wait_until([&] { return (code = child.exit_code()).has_value(); }));
  return code.value_or(-1);
}

TEST(SweepChild, a_signal_right_after_the_start_is_not_lost) {
  const TemporaryDirectory here;
  const StopSignals signals;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    for (int time = 0; time < 20; ++time) {
      SweepChild child({here / "log", {"20"}}, "/bin/sleep");
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
    SweepChild child({here / "log", {"-c", "kill -HUP $$; exit 7"}}, "/bin/sh");
    return end_of(child);
  });
  EXPECT_EQ(nohup.wait(), 7);
}

TEST(SweepChild, what_it_prints_is_added_to_its_log) {
  const TemporaryDirectory here;
  for (const std::string text : {"one", "two"}) {
    SweepChild child({here / "log", {"-c", "echo " + text + "; echo error >&2"}}, "/bin/sh");
    EXPECT_EQ(end_of(child), 0);
  }
  EXPECT_EQ(content_of(here / "log"), "one\nerror\ntwo\nerror\n");
}

TEST(SweepChild, writes_no_log_through_a_link) {
  const TemporaryDirectory here;
  std::ofstream(here / "victim") << "victim";
  std::filesystem::create_symlink("victim", here / "log");
  EXPECT_THROW(SweepChild({here / "log", {"-c", "echo one"}}, "/bin/sh"), IoError);
  EXPECT_EQ(content_of(here / "victim"), "victim");
}

TEST(SweepChild, has_neither_files_of_this_process_nor_variables_of_a_launcher) {
  const TemporaryDirectory here;
  const OpenFile connection(::dup(STDERR_FILENO), "connection");  // exec would keep it open
  ::setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
  ::setenv("PMI_FD", "6", 1);
  ::setenv("NOT_PMI", "stays", 1);
  SweepChild child({here / "log",
                    {"-c", fmt::format("echo $OMPI_COMM_WORLD_SIZE$PMI_FD$NOT_PMI;"
                                       "[ ! -e /proc/$$/fd/{} ]",
                                       connection.descriptor())}},
                   "/bin/sh");
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_FD", "NOT_PMI"}) {
    ::unsetenv(name);
  }
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(content_of(here / "log"), "stays\n");
}

TEST(SweepChild, that_nobody_waits_for_any_more_may_save) {
  const TemporaryDirectory here;
  const auto printed = [&](const std::string& text) {
    return wait_until([&] { return content_of(here / "log").find(text) != std::string::npos; });
  };
  {
    const SweepChild child(
        {here / "log", {"-c", "trap 'echo saved; exit' TERM; echo begun; while :; do :; done"}},
        "/bin/sh");
    ASSERT_TRUE(printed("begun"));
  }
  EXPECT_TRUE(printed("saved"));
}

TEST(SweepChild, a_program_that_does_not_exist_fails) {
  const TemporaryDirectory here;
  SweepChild child({here / "log", {}}, here / "nothing");
  EXPECT_EQ(end_of(child), 127);
  EXPECT_EQ(content_of(here / "log"), "error: cannot start the program\n");
}

}}  // namespace tapehead
