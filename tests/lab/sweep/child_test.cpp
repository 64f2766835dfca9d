// The child process of a sweep: its streams and signals; and how far its run is, while its metrics
// are written line by line and when lines are removed again.
#include "lab/sweep/places.hpp"

#include <unistd.h>

#include <csignal>

#include "core/files/files.hpp"
#include "lab/sweep/runner.hpp"
#include "tests/support/program.hpp"
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
  std::filesystem::create_symlink("log", here / "link");
  EXPECT_THROW(SweepChild({here / "link", {"-c", "echo one"}}, "/bin/sh"), IoError);
  EXPECT_EQ(content_of(here / "log"), "one\nerror\ntwo\nerror\n") << "written through a link";
  SweepChild nothing({here / "none.log", {}}, here / "nothing");
  EXPECT_EQ(end_of(nothing), 127);
  EXPECT_EQ(content_of(here / "none.log"), "error: cannot start the program\n");
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

TEST(RunWatch, tells_the_last_whole_lines) {
  const TemporaryDirectory here;
  const auto file = here / "metrics.jsonl";
  RunWatch watch(file, Metric::bleu);
  EXPECT_EQ(watch.look().step, 0);
  EXPECT_FALSE(watch.look().loss);
  std::ofstream stream(file);
  const auto append = [&](const std::string& text) { stream << text << std::flush; };
  append("{\"step\":1,\"epoch\":0,\"loss\":2.5}\n{\"step\":2,\"epoch\":1,\"lo");
  EXPECT_EQ(watch.look().step, 1);
  EXPECT_EQ(watch.look().loss, 2.5);
  append("ss\":null}\n{\"step\":2,\"split\":\"validation\",\"loss\":9,\"bleu\":31.5}\n");
  EXPECT_EQ(watch.look().step, 2);
  EXPECT_EQ(watch.look().epoch, 1);
  EXPECT_FALSE(watch.look().loss);
  EXPECT_EQ(watch.look().metric, 31.5);
  std::ofstream(file) << "{\"step\":1,\"epoch\":0,\"loss\":2.25}\n";
  EXPECT_EQ(watch.look().step, 1);
  EXPECT_EQ(watch.look().loss, 2.25);
  std::filesystem::create_symlink("/proc/self/mem", here / "mem");  // read(2) fails with EIO
  EXPECT_TRUE(RunWatch(here / "none", Metric::bleu).look().readable);
  EXPECT_FALSE(RunWatch(here / "mem", Metric::bleu).look().readable);
  EXPECT_FALSE(RunWatch(here.path(), Metric::bleu).look().readable);
  const RunProgress progress{.step = 7, .epoch = 2, .loss = {}, .metric = {}};
  TrainingOptions training;
  EXPECT_EQ(progress_text(progress, training), "step 7");
  training.epochs = 3;
  EXPECT_EQ(progress_text(progress, training), "epoch 3/3");
  EXPECT_EQ(progress_text({.step = 9, .epoch = 3, .loss = {}, .metric = {}}, training),
            "epoch 3/3");
  training.steps = 20;
  EXPECT_EQ(progress_text(progress, training), "step 7/20");
}

}}  // namespace tapehead
