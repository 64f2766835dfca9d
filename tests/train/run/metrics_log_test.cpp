// The metrics log: whole lines, truncation to a checkpoint's step, and reported errors.
#include <sys/resource.h>

#include <csignal>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { namespace {

class RunMetricsLog : public Test {
 protected:
  std::string content() const { return read_file(file); }

  TemporaryDirectory directory;
  std::filesystem::path file = directory / "log";
};

TEST_F(RunMetricsLog, lines_are_in_the_file_at_once_and_in_order) {
  MetricsLog log(file);
  log.write(Json{{"step", 1}, {"loss", 0.5}});
  EXPECT_EQ(content(), "{\"step\":1,\"loss\":0.5}\n");
  // JSON has neither NaN nor bytes that are no UTF-8.
  MetricsLog(file).write(
      Json{{"loss", std::numeric_limits<double>::quiet_NaN()}, {"text", "a\xff\n"}});
  EXPECT_EQ(content(),
            "{\"step\":1,\"loss\":0.5}\n{\"loss\":null,\"text\":\"a\xef\xbf\xbd\\n\"}\n");
}

TEST_F(RunMetricsLog, its_whole_lines_are_read_and_the_others_skipped) {
  std::ofstream(file) << "{\"step\":1}\nx\n{\"epoch\":2}\n\n{\"step\":3}\n{\"step\":4}";
  std::vector<Index> steps;
  for_each_line(file, [&](const JsonObject& line) { steps.push_back(line.count("step")); });
  EXPECT_THAT(steps, ElementsAre(1, 3));
  for_each_line(directory / "nowhere", [](const JsonObject&) { FAIL(); });
  EXPECT_EQ(io_error_of([&] { for_each_line(directory.path(), [](const JsonObject&) {}); }),
            "cannot read " + directory.path().string() + ": Is a directory");
}

TEST_F(RunMetricsLog, it_is_cut_back_to_a_step) {
  std::ofstream(file) << R"({"start":true}
{"step":1}
{"step":2,"a":1}
{"step":2,"a":2}
{"step":3}
{"st
{"step":2,"a":)";
  MetricsLog log(file);
  log.truncate_after(2);
  const std::string kept =
      "{\"start\":true}\n{\"step\":1}\n{\"step\":2,\"a\":1}\n{\"step\":2,\"a\":2}\n";
  EXPECT_EQ(content(), kept);
  log.write(Json{{"step", 3}});
  EXPECT_EQ(content(), kept + "{\"step\":3}\n");
  // A last line without a line end is incomplete: the next line would be appended to it.
  std::ofstream(file, std::ios::app) << "{\"step\":4}";
  log.truncate_after(9);
  EXPECT_EQ(content(), kept + "{\"step\":3}\n");
  log.truncate_after(0);
  EXPECT_EQ(content(), "{\"start\":true}\n");
}

// States that a power loss can leave.
TEST_F(RunMetricsLog, steps_without_a_line_are_told) {
  const std::string two = "{\"step\":1}\n{\"step\":2}\n";
  struct Case {
    std::string lines;
    Index step;
    std::string warning;  // empty: no warning
  };
  for (const auto& [lines, step, warning] : std::vector<Case>{
           {"", 8, "the lines of 8 of 8 steps are missing (the first: step 1)"},
           {two, 8, "the lines of 6 of 8 steps are missing (the first: step 3)"},
           {two + "{\"step\":4}\n", 4, "the lines of 1 of 4 steps are missing (the first: step 3)"},
           {two + "{\"step\":3,\"split\":\"validation\"}\n", 3, "(the first: step 3)"},
           {two + "{\"step\":2,\"split\":\"validation\"}\n{\"step\":3}\n", 2, ""},
           {"", 0, ""}}) {
    std::ofstream(file) << lines;
    const Logged logged;
    MetricsLog(file).truncate_after(step);
    EXPECT_EQ(logged.text().empty(), warning.empty()) << lines << logged.text();
    EXPECT_THAT(logged.text(), HasSubstr(warning));
  }
}

// A file size limit stands in for a full disk.
TEST_F(RunMetricsLog, a_full_disk_is_told) {
  ChildProcess child([&] {
    MetricsLog log(file);
    const rlimit limit{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    return io_error_of([&] { log.write(Json{{"step", 1}}); }) ==
                   "cannot write " + file.string() + ": File too large"
               ? 0
               : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(
      io_error_of([&] { MetricsLog(directory / "none" / "log"); }),
      "cannot write " + (directory / "none" / "log").string() + ": No such file or directory");
}

}}  // namespace tapehead
