// The metrics log: whole lines, truncation to a checkpoint's step, and reported errors.
#include <sys/resource.h>

#include <csignal>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { namespace {

TEST(RunMetricsLog, lines_are_in_the_file_at_once_and_in_order) {
  const TemporaryDirectory directory;
  MetricsLog log(directory / "metrics.jsonl");
  log.write(Json{{"step", 1}, {"loss", 0.5}});
  EXPECT_EQ(read_file(directory / "metrics.jsonl"), "{\"step\":1,\"loss\":0.5}\n");
  MetricsLog(directory / "metrics.jsonl").write(Json{{"step", 2}});
  EXPECT_EQ(read_file(directory / "metrics.jsonl"), "{\"step\":1,\"loss\":0.5}\n{\"step\":2}\n");
}

TEST(RunMetricsLog, what_json_cannot_say_is_written_all_the_same) {
  const TemporaryDirectory directory;
  MetricsLog(directory / "log")
      .write(Json{{"loss", std::numeric_limits<double>::quiet_NaN()}, {"text", "a\xff\n"}});
  EXPECT_EQ(read_file(directory / "log"), "{\"loss\":null,\"text\":\"a\xef\xbf\xbd\\n\"}\n");
}

TEST(RunMetricsLog, its_whole_lines_are_read_and_the_others_skipped) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "log")
      << "{\"step\":1}\nx\n{\"epoch\":2}\n\n{\"step\":3}\n{\"step\":4}";
  std::vector<Index> steps;
  for_each_line(directory / "log",
                [&](const JsonObject& line) { steps.push_back(line.count("step")); });
  EXPECT_EQ(steps, (std::vector<Index>{1, 3}));
  for_each_line(directory / "nowhere", [](const JsonObject&) { FAIL(); });
}

TEST(RunMetricsLog, it_is_cut_back_to_a_step) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "log")
      << "{\"start\":true}\n{\"step\":1}\n{\"step\":2,\"a\":1}\n"
         "{\"step\":2,\"a\":2}\n{\"step\":3}\n{\"st\n{\"step\":2,\"a\":";
  MetricsLog log(directory / "log");
  log.truncate_after(2);
  const std::string kept =
      "{\"start\":true}\n{\"step\":1}\n{\"step\":2,\"a\":1}\n{\"step\":2,\"a\":2}\n";
  EXPECT_EQ(read_file(directory / "log"), kept);
  log.write(Json{{"step", 3}});
  EXPECT_EQ(read_file(directory / "log"), kept + "{\"step\":3}\n");
  log.truncate_after(0);
  EXPECT_EQ(read_file(directory / "log"), "{\"start\":true}\n");
}

// A last line without a line end is incomplete: the next line would be appended to it.
TEST(RunMetricsLog, a_line_without_its_end_is_torn) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "log") << "{\"step\":1}\n{\"step\":2}";
  MetricsLog log(directory / "log");
  log.truncate_after(9);
  EXPECT_EQ(read_file(directory / "log"), "{\"step\":1}\n");
}

// States that a power loss can leave.
TEST(RunMetricsLog, steps_without_a_line_are_told) {
  struct Case {
    std::string lines;
    Index step;
    std::string warning;  // empty: no warning
  };
  const std::string two = "{\"step\":1}\n{\"step\":2}\n";
  for (const Case& of : {
           Case{"", 8, "the lines of 8 of 8 steps are missing (the first: step 1)"},
           Case{two, 8, "the lines of 6 of 8 steps are missing (the first: step 3)"},
           Case{two + "{\"step\":4}\n", 4,
                "the lines of 1 of 4 steps are missing (the first: "
                "step 3)"},
           Case{two + "{\"step\":3,\"split\":\"validation\"}\n", 3, "(the first: step 3)"},
           Case{two + "{\"step\":2,\"split\":\"validation\"}\n{\"step\":3}\n", 2, ""},
           Case{"", 0, ""},
       }) {
    const TemporaryDirectory directory;
    std::ofstream(directory / "log") << of.lines;
    const Logged logged;
    MetricsLog(directory / "log").truncate_after(of.step);
    EXPECT_EQ(logged.text().empty(), of.warning.empty()) << of.lines << logged.text();
    EXPECT_THAT(logged.text(), HasSubstr(of.warning));
  }
}

TEST(RunMetricsLog, a_file_that_cannot_be_read_is_not_an_empty_one) {
  const TemporaryDirectory directory;
  EXPECT_EQ(io_error_of([&] { for_each_line(directory.path(), [](const JsonObject&) {}); }),
            "cannot read " + directory.path().string() + ": Is a directory");
}

// A file size limit stands in for a full disk.
TEST(RunMetricsLog, a_full_disk_is_told) {
  const TemporaryDirectory directory;
  ChildProcess child([&] {
    MetricsLog log(directory / "log");
    const rlimit limit{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    return io_error_of([&] { log.write(Json{{"step", 1}}); }) ==
                   "cannot write " + (directory / "log").string() + ": File too large"
               ? 0
               : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(
      io_error_of([&] { MetricsLog(directory / "none" / "log"); }),
      "cannot write " + (directory / "none" / "log").string() + ": No such file or directory");
}

}}  // namespace tapehead
