// tapehead report for a sweep: the page in a browser.
#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class SweepPage : public ProgramRuns {
 protected:
  void write(std::string_view more) const {
    std::ofstream(here / "heads.yaml")
        << "config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n"
        << "set: {task.train_examples: 300, task.validation_examples: 20, task.test_examples: 30,\n"
        << "  model.layers: 1, training.batch_tokens: 256, training.warmup: 5,\n"
        << "  evaluation.every: 10, training.steps: " << more;
  }
};

constexpr std::string_view sweep_marks = R"(
  const count = (selector) => document.querySelectorAll(selector).length;
  return {
    state: document.querySelector('.state').textContent,
    sections: [...document.querySelectorAll('section')].map((one) => one.id),
    cells: count('#cells tbody tr'),
    best: count('#cells .best'),
    charts: count('#charts svg.chart'),
    points: count('#charts .point'),
    deviations: count('#charts .deviation'),
    shown: count('#shown svg.chart'),
    figures: count('#metric option'),
    runs: count('#runs tbody tr'),
    wide: document.documentElement.scrollWidth,
  };
)";

TEST_F(SweepPage, is_written_at_the_end) {
  write("20}\nseeds: 2\naxes: {model.heads: [1, 2], model.d_model: [8, 16]}\n");
  output({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"});
  const auto page = visit(here / "s/report.html", std::string(sweep_marks), {.width = 390});
  EXPECT_EQ(page["state"], "finished");
  EXPECT_EQ(page["sections"], nlohmann::json({"cells", "charts", "runs"}));
  EXPECT_EQ(page["cells"], 4);
  EXPECT_EQ(page["best"], 1);
  EXPECT_EQ(page["charts"], 3);       // one per axis, and quality against time
  EXPECT_EQ(page["points"], 12);      // four cells in each
  EXPECT_EQ(page["deviations"], 16);  // of the metric; the last chart also of time
  EXPECT_EQ(page["runs"], 4 * 2);
  EXPECT_LE(page["wide"], 390);
  EXPECT_EQ(run({"report", "s", "--prune"}).exit_code, 2);
}

TEST_F(SweepPage, has_what_the_sweep_asks_to_be_shown) {
  write(
      "6}\nseeds: 2\nheads: [figures]\nshow: [cross.entropy, cross.divergence, seconds]\n"
      "axes: {shape: {one: {model.heads: 1}, four quite narrow heads: {model.heads: 4}}}\n");
  output({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"});
  const auto page = visit(here / "s/report.html", std::string(sweep_marks), {.width = 390});
  EXPECT_EQ(page["sections"], nlohmann::json({"cells", "charts", "shown", "runs"}));
  EXPECT_EQ(page["shown"], 3);
  EXPECT_GT(page["figures"], 30);  // every figure of the sweep can be chosen
  // One head has no divergence from others, so its point is missing.
  EXPECT_EQ(visit(here / "s/report.html", R"(
    return [...document.querySelectorAll('#shown svg.chart')].map((one) => one.querySelectorAll('.point').length);
  )"),
            nlohmann::json({2, 1, 2}));
  // A page written later shows the same.
  ASSERT_EQ(run({"report", "s"}).exit_code, 0);
  EXPECT_EQ(visit(here / "s/report.html", std::string(sweep_marks))["shown"], 3);
}

// The files that the run names link to, resolved from the page's location.
std::vector<std::string> links_of(const fs::path& page) {
  const nlohmann::json place = "file://" + page.parent_path().string() + "/";
  return visit(page, fmt::format(R"(
    const path = (row) => new URL(row.querySelector('a').getAttribute('href'), encodeURI({}).replace('#', '%23')).pathname;
    return [...document.querySelectorAll('#runs tbody tr')].map((row) => decodeURIComponent(path(row)));)",
                                 place.dump()))
      .get<std::vector<std::string>>();
}

TEST_F(SweepPage, links_to_the_pages_of_runs_or_to_their_directories) {
  write("6}\naxes: {model.heads: [1, 2]}\n");
  const std::string sweep = "sweep #1 (50%)";  // has characters that are special in URLs
  ASSERT_EQ(run({"sweep", "heads.yaml", "--run", sweep, "--parallel", "2"}).exit_code, 0);
  const std::vector<std::string> first = links_of(here / sweep / "report.html");
  ASSERT_EQ(first.size(), 2U);
  for (const std::string& link : first) {
    EXPECT_TRUE(fs::is_regular_file(fs::path(link) / "config.yaml")) << link;
  }
  ASSERT_EQ(run({"report", first[1]}).exit_code, 0);
  // From another directory, the relative paths differ.
  fs::create_directories(here / "pages/of sweeps");
  ASSERT_EQ(run({"report", sweep, "--output", "pages/of sweeps/heads.html"}).exit_code, 0);
  const std::vector<std::string> second = links_of(here / "pages/of sweeps/heads.html");
  EXPECT_TRUE(fs::equivalent(second[0], first[0]));
  EXPECT_TRUE(fs::equivalent(second[1], fs::path(first[1]) / "report.html"));
}

TEST_F(SweepPage, links_to_the_pages_that_the_sweep_asks_for) {
  write("6, run.report: true}\nseeds: 2\n");
  ASSERT_EQ(run({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"}).exit_code, 0);
  for (const std::string& link : links_of(here / "s/report.html")) {
    EXPECT_TRUE(link.ends_with("/report.html")) << link;
    EXPECT_TRUE(fs::is_regular_file(link)) << link;
  }
}

TEST_F(SweepPage, explains_its_columns_itself) {
  write("6}\nseeds: 2\naxes: {model.heads: [1, 2]}\n");
  ASSERT_EQ(run({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"}).exit_code, 0);
  const auto text =
      visit(here / "s/report.html", "return document.querySelector('main').textContent;")
          .get<std::string>();
  EXPECT_THAT(text, AllOf(HasSubstr("a paired bootstrap"), HasSubstr("not comparable"),
                          Not(HasSubstr("docs/"))));
}

TEST_F(SweepPage, names_cells_with_fewer_seeds_and_judges_by_the_sign) {
  write("6}\nseeds: 2\naxes: {model.heads: [1, 2]}\n");
  ASSERT_EQ(run({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"}).exit_code, 0);
  fs::remove_all(here / "s/model.heads=2,seed=2");
  ASSERT_EQ(run({"report", "s"}).exit_code, 0);
  const auto page = visit(here / "s/report.html", R"(
    const differing = (difference) => ({to_best: {significant: true, difference}});
    return {
      remarks: [...document.querySelectorAll('#cells .remark')].map((one) => one.textContent).join(' '),
      verdicts: [-1, 1].map((difference) => [false, true].map((lower) => verdict(differing(difference), lower))),
    };
  )");
  EXPECT_THAT(page["remarks"].get<std::string>(),
              AllOf(HasSubstr("by the means over the seeds that all cells have (1). "
                              "Cells with fewer seeds: model.heads=2."),
                    HasSubstr("Compared by one seed: p says nothing")));
  const std::string worse = "significantly worse";
  const std::string better = "better on shared seeds";
  const auto verdicts = nlohmann::json::array(
      {nlohmann::json::array({worse, better}), nlohmann::json::array({better, worse})});
  EXPECT_EQ(page["verdicts"], verdicts);
}

TEST_F(SweepPage, of_a_sweep_without_a_finished_run_shows_how_far_its_runs_are) {
  write("6}\nseeds: 2\n");
  ASSERT_EQ(run({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"}).exit_code, 0);
  for (const char* name : {"s/seed=1/scores.jsonl", "s/seed=2/scores.jsonl"}) {
    ASSERT_TRUE(fs::remove(here / name));
  }
  EXPECT_THAT(output({"report", "s"}), HasSubstr("unfinished: 0 of 2 runs finished"));
  const auto page = visit(here / "s/report.html", std::string(sweep_marks));
  EXPECT_EQ(page["sections"], nlohmann::json({"runs"}));
  EXPECT_EQ(page["runs"], 2);
}

TEST_F(SweepPage, of_a_sweep_that_was_killed_says_so) {
  write("20}\nseeds: [1]\naxes: {training.learning_rate: [0.001, 0.002, 0.003]}\n");
  Program program({"sweep", "heads.yaml", "--run", "s", "--parallel", "1"}, here.path());
  const fs::path first = here / "s/training.learning_rate=0.001,seed=1/scores.jsonl";
  ASSERT_TRUE(wait_until([&] { return fs::exists(first); }));
  program.kill(SIGKILL);
  program.wait();
  EXPECT_THAT(output({"report", "s"}), HasSubstr("unfinished: "));
  const auto page = visit(here / "s/report.html", std::string(sweep_marks));
  EXPECT_EQ(page["state"], "unfinished");
  EXPECT_GE(page["cells"], 1);
  EXPECT_LT(page["cells"], 3);
  EXPECT_EQ(page["runs"], 3);
}

}}  // namespace tapehead
