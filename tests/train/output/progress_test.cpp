// Progress, console and log: the output on a terminal, without a terminal, and in the log file.

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdio>

#include "core/files/files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/output/logging.hpp"

namespace tapehead { namespace {

const std::string clear = "\r\x1b[K";

// A console that writes to a file; the default logger of spdlog is restored at the end.
class RunProgress : public Test {
 protected:
  void SetUp() override { stream_ = std::fopen((directory / "console").c_str(), "w"); }
  void TearDown() override {
    spdlog::set_default_logger(logger_);
    console.reset();
    std::fclose(stream_);
  }

  void start(bool terminal) {
    console = std::make_shared<Console>(stream_, terminal);
    start_logging(console);
  }
  std::string shown() const { return read_file(directory / "console"); }

  TemporaryDirectory directory;
  std::shared_ptr<Console> console;

 private:
  std::FILE* stream_ = nullptr;
  std::shared_ptr<spdlog::logger> logger_ = spdlog::default_logger();
};

StepReport report(Index step, double elapsed) {
  return {.step = step,
          .epoch = 2,
          .loss = 1.23456,
          .learning_rate = 5e-4,
          .gradient_norm = 0.5,
          .tokens = 2500,
          .step_seconds = 0.5,
          .elapsed = elapsed};
}

TEST_F(RunProgress, plain_lines_come_every_few_seconds) {
  start(false);
  console->live("no live line without a terminal");
  Progress progress(console, {.total_steps = 100, .total_seconds = {}, .log_seconds = 2});
  for (Index step = 1; step <= 10; ++step) {
    progress.update(report(step, 0.5 * static_cast<double>(step)));
  }
  progress.finish();
  console->print("line");
  // Half a second per step; 95 and 91 steps remain.
  EXPECT_EQ(shown(),
            "step 5/100  epoch 2  loss 1.2346  lr 5.00e-04  grad norm 0.500  5.0 k tokens/s  "
            "48 s left\n"
            "step 9/100  epoch 2  loss 1.2346  lr 5.00e-04  grad norm 0.500  5.0 k tokens/s  "
            "46 s left\n"
            "line\n");
}

TEST_F(RunProgress, needs_no_console_and_counts_heads_with_gates) {
  start(false);
  Progress progress(nullptr, {.total_steps = {}, .total_seconds = {}, .log_seconds = 0});
  StepReport gated = report(1, 0.5);
  gated.open_heads = 5.26;
  gated.gated_heads = 12;
  progress.update(gated);
  EXPECT_THAT(shown(), HasSubstr("step 1  epoch 2  loss 1.2346  open heads 5.3/12  lr 5.00e-04"));
}

TEST_F(RunProgress, the_time_left_is_the_earlier_of_two_ends) {
  start(false);
  const auto line = [&](const ProgressOptions& options) {
    Progress progress(console, options);
    progress.update(report(10, 100));
    progress.update(report(20, 110));
    const std::string all = shown();
    return all.substr(all.rfind("step"));
  };
  EXPECT_THAT(line({.total_steps = 1000, .total_seconds = 140, .log_seconds = 0}),
              HasSubstr("  30 s left\n"));
  EXPECT_THAT(line({.total_steps = 40, .total_seconds = 1000, .log_seconds = 0}),
              HasSubstr("  20 s left\n"));
  EXPECT_THAT(line({.total_steps = {}, .total_seconds = {}, .log_seconds = 0}),
              Not(HasSubstr("left")));
}

TEST_F(RunProgress, a_live_line_is_rewritten_and_goes_to_the_file_now_and_then) {
  start(true);
  const LogFile log(directory / "log.txt");
  Progress progress(console, {.total_steps = {}, .total_seconds = {}, .log_seconds = 1});
  progress.update(report(1, 0.5));
  progress.update(report(2, 0.55));  // too early to show
  progress.update(report(3, 1.6));
  progress.finish();
  const std::string cut = "  epoch 2  loss 1.2346  lr 5.00e-04  grad norm 0.500  5.0 k tokens/s";
  EXPECT_EQ(shown(), clear + "step 1" + cut + clear + "step 3" + cut + clear);
  EXPECT_THAT(read_file(directory / "log.txt"),
              MatchesRegex("[0-9-]+ [0-9:]+  step 3  epoch 2 .*tokens/s\n"));
}

TEST_F(RunProgress, a_narrow_terminal_still_shows_the_time_left) {
  start(true);
  Progress progress(console, {.total_steps = 4500, .total_seconds = {}, .log_seconds = 1000});
  progress.update(report(2000, 100));
  progress.update(report(2001, 101));
  // 97 characters in full, 80 columns by default. One second per step: 2,499 seconds left.
  EXPECT_EQ(shown().substr(shown().rfind("step")),
            "step 2001/4500  epoch 2  loss 1.2346  5.0 k tokens/s  41 min 39 s left");
}

TEST_F(RunProgress, lines_that_stay_are_written_above_the_live_line) {
  start(true);
  console->print("first");
  console->live("live");
  spdlog::info("second\nthird");
  console->live("");
  spdlog::info("last");
  EXPECT_EQ(shown(), "first\n" + clear + "live" + clear + "second\nthird\nlive" + clear + "last\n");
}

TEST_F(RunProgress, a_live_line_never_wraps) {
  start(true);
  std::string line;
  for (int i = 0; i < 79; ++i) {
    line += "ü";
  }
  console->live(line + line);
  // Without a terminal the width is 80 columns; the last column stays free.
  EXPECT_EQ(shown(), clear + line);
}

// A program's own logger keeps its sinks and format.
TEST_F(RunProgress, the_log_file_has_what_the_console_has_and_is_appended_to) {
  start(false);
  std::ostringstream own;
  spdlog::default_logger()->sinks().push_back(
      std::make_shared<spdlog::sinks::ostream_sink_mt>(own));
  spdlog::info("before the run");
  {
    const LogFile log(directory / "log.txt");
    spdlog::warn("one");
  }
  spdlog::info("between");
  {
    LogFile log(directory / "log.txt");
    const LogFile moved(std::move(log));
    spdlog::error("two");
    log_to_file_only("three");
  }
  log_to_file_only("after the run");
  EXPECT_EQ(shown(), "before the run\nwarning: one\nbetween\nerror: two\n");
  const std::string stamp = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}  ";
  EXPECT_THAT(read_file(directory / "log.txt"),
              MatchesRegex(stamp + "warning: one\n" + stamp + "error: two\n" + stamp + "three\n"));
  EXPECT_THAT(own.str(), MatchesRegex(".*before the run\n.*one\n.*between\n.*two\n"));
  EXPECT_EQ(spdlog::default_logger()->sinks().size(), 2U);
}

TEST_F(RunProgress, a_log_file_that_cannot_be_written_is_told) {
  start(false);
  write_file_atomically(directory / "file", "");
  EXPECT_THAT(io_error_of([&] { const LogFile log(directory / "file" / "log.txt"); }),
              HasSubstr("file/log.txt"));
  spdlog::info("still here");
  EXPECT_EQ(shown(), "still here\n");
}

}}  // namespace tapehead
