// The embedding's spectrum on the page of a run whose tokens are numbers on a circle.
#include "core/files/json_text.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

// Has checkpoints at steps 10, 20, 30 and 40.
Arguments circle_training(const Arguments& overrides = {}) {
  Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/modular_arithmetic.yaml", "--run", "a",
                      "--no-report"};
  set_options(arguments, {"task.modulus=11", "model.d_model=8", "model.heads=2",
                          "training.batch_tokens=64", "training.steps=40", "training.warmup=5",
                          "training.checkpoint_every=10", "training.checkpoint_keep=all"});
  set_options(arguments, overrides);
  return arguments;
}

class SpectrumPage : public ProgramRuns {
 protected:
  void train(const Arguments& overrides = {}) { output(circle_training(overrides)); }

  Json see(const Arguments& options = {}) {
    const Arguments arguments = Arguments{"report", "a", "--output", "a.html"} + options;
    output(arguments);
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
      return {...at_first, moved: shown().chosen, data: report.spectrum ?? null, notes: report.notes};)");
  }
};

std::vector<int> steps_in(const Json& spectrum) {
  std::vector<int> steps;
  for (const Json& checkpoint : spectrum["checkpoints"]) {
    steps.push_back(checkpoint["step"]);
  }
  return steps;
}

using Texts = std::vector<std::string>;

TEST_F(SpectrumPage, shows_the_first_and_the_last_checkpoint) {
  train();
  const Json page = see();
  EXPECT_EQ(page["titles"], (Texts{"Step 10", "Step 40"}));
  EXPECT_EQ(page["bars"], 10);  // two charts with the five frequencies of 11 numbers
  EXPECT_EQ(page["texts"].size(), 2U);
  EXPECT_THAT(page["remark"].get<std::string>(), HasSubstr("The 11 numbers are on a circle"));
  EXPECT_EQ(page["data"]["tokens"], 11);
  EXPECT_EQ(steps_in(page["data"]), (std::vector<int>{10, 40}));
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
}

TEST_F(SpectrumPage, has_a_slider_for_every_checkpoint) {
  train();
  const Json page = see({"--every-checkpoint"});
  EXPECT_EQ(steps_in(page["data"]), (std::vector<int>{10, 20, 30, 40}));
  EXPECT_EQ(page["titles"], (Texts{"Step 10", "Step 40", "Frequencies that have 90 %", "Step 40"}));
  EXPECT_EQ(page["bars"], 15);
  EXPECT_THAT(page["chosen"].get<std::string>(), HasSubstr("At step 40,"));
  EXPECT_THAT(page["moved"].get<std::string>(), HasSubstr("At step 20,"));
}

TEST_F(SpectrumPage, says_that_a_run_keeps_one_checkpoint) {
  train({"training.checkpoint_keep=1"});
  const Json page = see();
  EXPECT_EQ(page["titles"], Texts{"Step 40"});
  EXPECT_THAT(page["remark"].get<std::string>(), HasSubstr("The run keeps one checkpoint."));
}

TEST_F(SpectrumPage, notes_a_checkpoint_that_cannot_be_read) {
  train();
  std::filesystem::resize_file(step_checkpoint(here / "a", 10), 1000);
  const Json page = see();
  EXPECT_TRUE(page["data"].is_null());
  EXPECT_THAT(page["notes"].dump(), HasSubstr("The spectrum of the embedding is missing: "));
}

TEST_F(SpectrumPage, is_left_out_for_other_tasks) {
  output(tiny_training("a"));
  const Json page = see();
  EXPECT_TRUE(page["data"].is_null());
  EXPECT_TRUE(page["titles"].empty());
}

}}  // namespace tapehead
