// Curves from metrics.jsonl and times.jsonl in any state.
#include "core/files/json_text.hpp"
#include "lab/report/page.hpp"

#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class ReportCurves : public Test {
 protected:
  void write(const std::string& metrics, const std::string& times = "") const {
    std::ofstream(files().metrics()) << metrics;
    if (!times.empty()) {
      std::ofstream(files().times()) << times;
    }
  }
  RunFiles files() const { return {here.path()}; }

  TemporaryDirectory here;
};

TEST_F(ReportCurves, of_no_file_are_empty) {
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["last_step"], 0);
  EXPECT_TRUE(curves["training"]["step"].empty());
  EXPECT_TRUE(curves["evaluations"]["step"].empty());
}

TEST_F(ReportCurves, have_every_figure_and_leave_torn_lines_and_nulls_out) {
  write(
      "{\"step\":1,\"tokens\":10,\"loss\":2.0}\n"
      "{\"step\":2,\"tokens\":30,\"loss\":null,\"new\":7}\n"
      "{\"step\":2,\"split\":\"validation\",\"loss\":1.5,\"bleu\":30,\"signature\":\"x\"}\n"
      "{\"step\":3,\"los",
      "{\"step\":1,\"seconds\":0.5}\n{\"step\":2,\"seconds\":2.5}\n");
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["last_step"], 2);
  EXPECT_EQ(curves["steps_a_point"], 1);
  EXPECT_EQ(curves["training"], (Json{{"step", {1, 2}},
                                      {"loss", {2.0, nullptr}},
                                      {"new", {nullptr, 7.0}},
                                      {"tokens_per_second", {20.0, 15.0}}}));
  EXPECT_EQ(curves["evaluations"], (Json{{"step", {2}}, {"loss", {1.5}}, {"bleu", {30.0}}}));
}

TEST_F(ReportCurves, lines_that_are_damaged_are_told) {
  write(
      "{\"step\":1,\"tokens\":10,\"loss\":2.0}\n"
      "{\"step\":1e300,\"tokens\":10,\"loss\":2.0}\n"
      "nonsense\n"
      "{\"step\":4,\"tokens\":\"many\",\"loss\":1.0}\n");
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["training"]["step"], (Json{1, 4}));
  ASSERT_EQ(curves["faults"].size(), 2U);
  const std::string file = files().metrics().string();
  EXPECT_EQ(curves["faults"][0], file + ":2 is damaged, and left out");
  EXPECT_EQ(curves["faults"][1], file + ":3 is damaged, and left out");
}

// For such a line, copying the JSON library's parse result would end the process.
TEST_F(ReportCurves, deeply_nested_lines_are_told_too) {
  const std::string deep =
      "{\"step\":1,\"seconds\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n";
  write(deep, deep);
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["faults"], (Json{files().metrics().string() + ":1 is damaged, and left out",
                                    files().times().string() + ":1 is damaged, and left out"}));
}

TEST_F(ReportCurves, of_a_file_that_cannot_be_read_are_an_error) {
  for (const auto& file : {files().metrics(), files().times()}) {
    std::filesystem::create_directory(file);
    EXPECT_EQ(io_error_of([&] { report_curves(files()); }),
              "cannot read " + file.string() + ": Is a directory");
    std::filesystem::remove(file);
  }
}

TEST_F(ReportCurves, of_long_runs_are_means) {
  constexpr Index steps = 2 * curve_points + 1;  // three steps per point
  std::string lines;
  for (Index step = 1; step <= steps; ++step) {
    lines += fmt::format("{{\"step\":{},\"tokens\":1,\"loss\":{}}}\n", step, step);
  }
  write(lines);
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["steps_a_point"], 3);
  EXPECT_EQ(curves["training"]["step"].size(), static_cast<std::size_t>((steps + 2) / 3));
  EXPECT_EQ(curves["training"]["step"][0], 3);
  EXPECT_EQ(curves["training"]["loss"][0], 2.0);
  EXPECT_EQ(curves["training"]["step"].back(), steps);
  EXPECT_TRUE(curves["training"]["tokens_per_second"][0].is_null()) << "no times were kept";
}

}}  // namespace tapehead
