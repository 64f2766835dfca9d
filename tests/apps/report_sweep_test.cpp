// Pages in a browser: of a sweep, and the spectrum of an embedding of numbers on a circle.
#include "core/files/json_text.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

constexpr std::string_view sweep_marks = R"(
  const count = (selector) => document.querySelectorAll(selector).length;
  return {
    state: document.querySelector('.state').textContent,
    sections: [...document.querySelectorAll('section')].map((one) => one.id),
    cells: count('#cells tbody tr'), best: count('#cells .best'),
    charts: count('#charts svg.chart'), points: count('#charts .point'),
    deviations: count('#charts .deviation'), shown: count('#shown svg.chart'),
    figures: count('#metric option'), runs: count('#runs tbody tr'),
    wide: document.documentElement.scrollWidth,
  };
)";

class SweepPage : public ProgramRuns {
 protected:
  void sweep(const std::string& more, const std::string& directory = "s") const {
    here.write("heads.yaml", tiny_sweep("training.steps: " + more));
    here.output({"sweep", "heads.yaml", "--run", directory, "--parallel", "2"});
  }
  nlohmann::json see(std::string_view script = sweep_marks, const Browsing& browsing = {}) const {
    return visit(here / "s/report.html", std::string(script), browsing);
  }
};

TEST_F(SweepPage, is_written_at_the_end) {
  sweep("20}\nseeds: 2\naxes: {model.heads: [1, 2], model.d_ff: [8, 16]}\n");
  const auto page = see(sweep_marks, {.width = 390});
  expect_members(page, {{"state", "finished"},
                        {"sections", {"cells", "charts", "runs"}},
                        {"cells", 4},
                        {"best", 1},
                        {"charts", 3},       // one per axis, and quality against time
                        {"points", 12},      // four cells in each
                        {"deviations", 16},  // of the metric; the last chart also of time
                        {"runs", 4 * 2}});
  EXPECT_LE(page["wide"], 390);
  // It explains its columns itself.
  EXPECT_THAT(
      see("return document.querySelector('main').textContent;").get<std::string>(),
      AllOf(HasSubstr("a paired bootstrap"), HasSubstr("not comparable"), Not(HasSubstr("docs/"))));
  expect_refusals({{"report s --prune", 2, {}}});
}

TEST_F(SweepPage, has_what_the_sweep_asks_to_be_shown) {
  sweep(
      "6}\nseeds: 2\nheads: [figures]\nshow: [cross.entropy, cross.divergence, seconds]\n"
      "axes: {shape: {one: {model.heads: 1}, four quite narrow heads: {model.heads: 4}}}\n");
  const auto page = see(sweep_marks, {.width = 390});
  expect_members(page, {{"sections", {"cells", "charts", "shown", "runs"}}, {"shown", 3}});
  EXPECT_GT(page["figures"], 30);  // every figure of the sweep can be chosen
  // One head has no divergence from others, so its point is missing.
  EXPECT_EQ(see(R"(
    return [...document.querySelectorAll('#shown svg.chart')].map((one) => one.querySelectorAll('.point').length);
  )"),
            nlohmann::json({2, 1, 2}));
  // A page written later shows the same.
  output("report s");
  EXPECT_EQ(see()["shown"], 3);
}

// The config's four heads, and one; each of the three attentions of one layer has maps.
TEST_F(SweepPage, has_a_chapter_for_each_question) {
  sweep(
      "6}\naxes: {point: {usual: {}, one head: {model.heads: 1}}}\nsentence: 1 2 3\nchapters:\n"
      "  - {question: Why several heads, look: The maps., points: [usual, one head], maps: "
      "cross,\n"
      "     deeper: ./dev sweep more.yaml}\n"
      "  - {question: What do they cost, points: [one head, usual],\n"
      "     figures: [loss, parameters, seconds]}\n");
  for (const bool dark : {false, true}) {
    for (const int width : {400, 1400}) {
      const auto page = see(R"(
        const chapters = [...document.querySelectorAll('#chapters .chapter')];
        const count = (selector) => chapters.map((one) => one.querySelectorAll(selector).length);
        const before = count('.compared');
        chapters[0].querySelector('button.head').click();
        return {
          sections: [...document.querySelectorAll('section')].map((one) => one.id),
          questions: chapters.map((one) => one.querySelector('h3').textContent), bars: count('.bar'),
          sentences: chapters.map((one) => one.querySelector('.source').textContent),
          answers: chapters.map((one) => one.querySelector('.answer').textContent),
          commands: chapters.map((one) => one.querySelector('code')?.textContent ?? ''),
          walk: document.querySelector('#walk .remark').textContent.split(',')[0],
          maps: count('.small-map'), before, opened: count('.compared'),
          wide: document.documentElement.scrollWidth,
        };
      )",
                            {.width = width, .dark = dark});
      expect_members(page, {{"sections", {"chapters", "walk", "cells", "charts", "runs"}},
                            {"walk", "In “usual”: what encoder"},
                            {"questions", {"Why several heads", "What do they cost"}},
                            {"sentences", {"1 2 3", "1 2 3"}},
                            {"bars", {2, 6}},
                            {"commands", {"./dev sweep more.yaml", ""}},
                            {"maps", {4 + 1, 3 * (4 + 1)}},
                            {"before", {0, 0}},
                            {"opened", {1, 0}}});
      EXPECT_LE(page["wide"], width);
      const auto results = nlohmann::json::parse(content_of(here / "s/results.json"));
      const std::string answer = results["chapters"][0]["answer"];
      EXPECT_EQ(page["answers"][0], "The runs: " + answer + ".");
      EXPECT_THAT(answer, EndsWith("; one run: try seeds: 3"));
    }
  }
  // A page written later shows the same.
  output("report s");
  EXPECT_EQ(see("return document.querySelectorAll('#chapters .chapter').length;"), 2);
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
  const std::string directory = "sweep #1 (50%)";  // has characters that are special in URLs
  sweep("6}\naxes: {model.heads: [1, 2]}\n", directory);
  const std::vector<std::string> first = links_of(here / directory / "report.html");
  ASSERT_EQ(first.size(), 2U);
  for (const std::string& link : first) {
    EXPECT_TRUE(fs::is_regular_file(fs::path(link) / "config.yaml")) << link;
  }
  output({"report", first[1]});
  // From another directory, the relative paths differ.
  fs::create_directories(here / "pages/of sweeps");
  output({"report", directory, "--output", "pages/of sweeps/heads.html"});
  const std::vector<std::string> second = links_of(here / "pages/of sweeps/heads.html");
  EXPECT_TRUE(fs::equivalent(second[0], first[0]));
  EXPECT_TRUE(fs::equivalent(second[1], fs::path(first[1]) / "report.html"));
  // A sweep may ask for the pages of its runs.
  sweep("6, run.report: true}\nseeds: 2\n");
  const std::vector<std::string> pages = links_of(here / "s/report.html");
  EXPECT_THAT(pages, AllOf(SizeIs(2), Each(EndsWith("/report.html"))));
  for (const std::string& page : pages) {
    EXPECT_TRUE(fs::is_regular_file(page)) << page;
  }
}

TEST_F(SweepPage, names_cells_with_fewer_seeds_and_judges_by_the_sign) {
  sweep("6}\nseeds: 2\naxes: {model.heads: [1, 2]}\n");
  fs::remove_all(here / "s/model.heads=2,seed=2");
  output("report s");
  const auto page = see(R"(
    const differing = (difference) => ({to_best: {significant: true, difference}});
    return {
      remarks: [...document.querySelectorAll('#cells .remark')].map((one) => one.textContent).join(' '),
      verdicts: [-1, 1].map((difference) => [false, true].map((lower) => verdict(differing(difference), lower))),
    };
  )");
  EXPECT_THAT(page["remarks"].get<std::string>(),
              AllOf(HasSubstr("by the means over the seeds that all cells have (1). "
                              "Cells with fewer seeds: model.heads=2."),
                    HasSubstr("Compared with one seed: p says nothing")));
  const std::vector<std::string> higher{"significantly worse", "better on shared seeds"};
  EXPECT_EQ(page["verdicts"], nlohmann::json::array({higher, std::vector{higher[1], higher[0]}}));
}

TEST_F(SweepPage, of_a_sweep_without_a_finished_run_shows_how_far_its_runs_are) {
  sweep("6}\nseeds: 2\n");
  for (const char* name : {"s/seed=1/scores.jsonl", "s/seed=2/scores.jsonl"}) {
    ASSERT_TRUE(fs::remove(here / name));
  }
  EXPECT_THAT(output("report s"), HasSubstr("unfinished: 0 of 2 runs finished"));
  expect_members(see(), {{"sections", nlohmann::json::array({"runs"})}, {"runs", 2}});
}

TEST_F(SweepPage, of_a_sweep_that_was_killed_says_so) {
  here.write("heads.yaml", tiny_sweep("training.steps: 20}\nseeds: [1]\n"
                                      "axes: {training.learning_rate: [0.001, 0.002, 0.003]}\n"));
  Program program("sweep heads.yaml --run s --parallel 1", here.path());
  const fs::path first = here / "s/training.learning_rate=0.001,seed=1/scores.jsonl";
  ASSERT_TRUE(wait_until([&] { return fs::exists(first); }));
  program.kill(SIGKILL);
  program.wait();
  EXPECT_THAT(output("report s"), HasSubstr("unfinished: "));
  const auto page = see();
  EXPECT_EQ(page["state"], "unfinished");
  EXPECT_GE(page["cells"], 1);
  EXPECT_LT(page["cells"], 3);
  EXPECT_EQ(page["runs"], 3);
}

class SpectrumPage : public ProgramRuns {
 protected:
  // Has checkpoints at steps 10, 20, 30 and 40.
  void train(const Arguments& overrides = {}) {
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/modular_arithmetic.yaml", "--run",
                        "a", "--no-report"};
    set_options(arguments,
                Arguments{"task.modulus=11", "model.d_model=8", "model.heads=2",
                          "training.batch_tokens=64", "training.steps=40", "training.warmup=5",
                          "training.checkpoint_every=10", "training.checkpoint_keep=all"} +
                    overrides);
    output(arguments);
  }

  Json see(const std::string& options = "") {
    output("report a --output a.html " + options);
    return visit(here / "a.html", R"(
      const all = (selector) => [...document.querySelectorAll(`#spectrum ${selector}`)];
      const shown = () => ({
        titles: all('figcaption').map((one) => one.textContent), bars: all('.spectrum rect').length,
        texts: all('li').map((one) => one.textContent), remark: all('.remark')[0]?.textContent,
        chosen: all('.chosen-spectrum').map((one) => one.textContent)[0] ?? '',
        highest: all('.panels .spectrum').map((one) => Math.max(...[...one.children].map((bar) => bar.height.baseVal.value)))});
      const at_first = shown();
      const slider = document.getElementById('spectrum-step');
      if (slider) {
        slider.value = 1;
        slider.dispatchEvent(new Event('input'));
      }
      const report = JSON.parse(document.getElementById('report').textContent);
      return {...at_first, moved: shown().chosen, data: report.spectrum ?? null, notes: report.notes,
              steps: report.spectrum?.checkpoints.map((one) => one.step)};)");
  }
};

using Texts = std::vector<std::string>;

TEST_F(SpectrumPage, shows_the_first_and_the_last_checkpoint_or_all) {
  train();
  const Json page = see();
  EXPECT_EQ(page["titles"], (Texts{"Step 10", "Step 40"}));
  EXPECT_EQ(page["bars"], 10);  // two charts with the five frequencies of 11 numbers
  EXPECT_EQ(page["texts"].size(), 2U);
  EXPECT_THAT(page["remark"].get<std::string>(), HasSubstr("The 11 numbers are on a circle"));
  EXPECT_EQ(page["data"]["tokens"], 11);
  EXPECT_EQ(page["steps"], Json({10, 40}));
  std::vector<double> largest;
  for (const Json& checkpoint : page["data"]["checkpoints"]) {
    const auto shares = checkpoint["shares"].get<std::vector<double>>();
    ASSERT_EQ(shares.size(), 5U);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 5e-6);  // in millionths
    largest.push_back(std::ranges::max(shares));
    const int most = checkpoint["frequencies"];
    EXPECT_THAT(page["texts"].dump(),
                HasSubstr(std::to_string(most) + " of 5 frequencies have 90 %"));
  }
  // Both charts have the same scale.
  EXPECT_NEAR(page["highest"][0].get<double>() / page["highest"][1].get<double>(),
              largest[0] / largest[1], 1e-3);
  // With every checkpoint, there is a slider.
  const Json all = see("--every-checkpoint");
  EXPECT_EQ(all["steps"], Json({10, 20, 30, 40}));
  EXPECT_EQ(all["titles"], (Texts{"Step 10", "Step 40", "Frequencies that have 90 %", "Step 40"}));
  EXPECT_EQ(all["bars"], 15);
  EXPECT_THAT(all["chosen"].get<std::string>(), HasSubstr("At step 40,"));
  EXPECT_THAT(all["moved"].get<std::string>(), HasSubstr("At step 20,"));
  // A checkpoint that cannot be read is noted.
  std::filesystem::resize_file(step_checkpoint(here / "a", 10), 1000);
  const Json damaged = see();
  EXPECT_TRUE(damaged["data"].is_null());
  EXPECT_THAT(damaged["notes"].dump(), HasSubstr("The spectrum of the embedding is missing: "));
}

TEST_F(SpectrumPage, says_that_a_run_keeps_one_checkpoint_and_is_left_out_for_other_tasks) {
  train({"training.checkpoint_keep=1"});
  const Json page = see();
  EXPECT_EQ(page["titles"], Texts{"Step 40"});
  EXPECT_THAT(page["remark"].get<std::string>(), HasSubstr("The run keeps one checkpoint."));
  output(tiny_training("a", {}, {"--overwrite"}));
  const Json other = see();
  EXPECT_TRUE(other["data"].is_null());
  EXPECT_TRUE(other["titles"].empty());
}

}}  // namespace tapehead
