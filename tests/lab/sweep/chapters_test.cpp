// The chapters of a sweep: mistakes in its file, and answers from scores made by hand.
#include "lab/sweep/chapters.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/swept_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

SweepPlan chapters_plan(const std::string& more) {
  return plan_sweep(parse_sweep("config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n"
                                "axes: {point: {usual: {}, one head: {model.heads: 1}}}\n" +
                                    more,
                                "a.yaml"));
}

TEST(SweepChapters, mistakes_are_reported_at_their_places) {
  const std::string good = "question: What, points: [usual, one head]";
  for (const auto& [text, error] : std::vector<std::pair<std::string, std::string>>{
           {"chapters: What", "3:11: chapters: expected a list, such as [{question: "},
           {"chapters: [{points: [usual]}]",
            "3:12: chapters: a chapter needs a question and points"},
           {"chapters: [{question: What}]",
            "3:12: chapters: a chapter needs a question and points"},
           {"chapters: [{" + good + ", pionts: [usual]}]",
            "3:56: pionts: unknown name; did you mean points?"},
           {"chapters: [{" + good + ", colour: red}]",
            "3:56: colour: unknown name; a chapter has question, look, points"},
           {"chapters: [{question: What, points: [usual, one haed]}]",
            "3:45: points: the axis has no setting one haed (it has usual, one head)"},
           {"chapters: [{question: What, points: [usual, usual]}]",
            "3:45: points: expected names, none of them twice"},
           {"chapters: [{question: What, points: usual}]",
            "3:37: points: expected a list of names"},
           {"chapters: [{question: [What], points: [usual]}]", "3:23: question: expected a text"},
           {"chapters: [{" + good + ", maps: self}]",
            "3:62: maps: expected encoder_self, decoder_self, cross"},
           {"sentence: a b", "1:1: sentence: has no effect without chapters"}}) {
    EXPECT_THAT(message_of<ConfigError>([&] { chapters_plan(text + "\n"); }),
                StartsWith("a.yaml:" + error));
  }
  EXPECT_THAT(message_of<ConfigError>([&] {
                plan_sweep(parse_sweep("config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n"
                                       "axes: {model.heads: [1, 2], model.layers: [1, 2]}\n"
                                       "chapters: [{question: What, points: [1]}]\n",
                                       "a.yaml"));
              }),
              StartsWith("a.yaml:3:38: points: chapters are for sweeps with one axis"));
}

// The answer if so many outputs of each point are right with each of the seeds; -1: no such run.
std::string answer(std::size_t seeds, Index usual, Index one_head) {
  const SweepPlan plan = chapters_plan(
      fmt::format("seeds: {}\nchapters: [{{question: What, points: [usual, one head],\n"
                  "  figures: [sequence_accuracy, parameters]}}]\n",
                  seeds));
  std::vector<std::optional<RunScores>> all;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    all.emplace_back(swept_scores(usual, 10, 1, 100));
    all.push_back(one_head < 0 ? std::nullopt : std::optional(swept_scores(one_head, 10, 1, 50)));
  }
  const SweepResults results = sweep_results(plan, all);
  const std::string text = answer_of(plan.chapters[0], plan, results);
  EXPECT_EQ(results_json(plan, results)["chapters"][0]["answer"], text);
  EXPECT_THAT(chapters_text(plan, results), HasSubstr("What\n  " + text + "\n"));
  return text;
}

// With the results of the two points swapped, each sentence says the opposite.
TEST(SweepChapters, answers_are_made_from_the_runs_and_judge_only_by_three_seeds) {
  EXPECT_EQ(answer(1, 180, 100),
            "sequence accuracy: usual 90.00 %, one head 50.00 % (-40.00 %); "
            "parameters: usual 100, one head 50 (0.50 times); one run: try seeds: 3");
  EXPECT_EQ(answer(1, 100, 180),
            "sequence accuracy: usual 50.00 %, one head 90.00 % (+40.00 %); "
            "parameters: usual 100, one head 50 (0.50 times); one run: try seeds: 3");
  EXPECT_THAT(answer(2, 180, 100), AllOf(EndsWith("; two runs: try seeds: 3"),
                                         HasSubstr("(-40.00 %)"), Not(HasSubstr("worse"))));
  EXPECT_EQ(answer(3, 180, 100),
            "sequence accuracy: usual 90.00 % ± 0.00 %, one head 50.00 % ± 0.00 % "
            "(-40.00 %, worse, p 0.002); parameters: usual 100 ± 0, one head 50 ± 0 (0.50 times)");
  EXPECT_THAT(answer(3, 100, 180), HasSubstr("(+40.00 %, better, p 0.002)"));
  EXPECT_THAT(answer(3, 100, 100), HasSubstr("(0.00 %, no significant difference, p 1.000)"));
  EXPECT_EQ(answer(1, 180, -1),
            "sequence accuracy: usual 90.00 %, one head unknown; "
            "parameters: usual 100, one head unknown; one run: try seeds: 3");
}

TEST(SweepChapters, tests_of_other_examples_are_not_judged_and_a_lower_loss_is_better) {
  const SweepPlan plan = chapters_plan(
      "seeds: 3\nmetric: loss\nchapters: [{question: What, points: [usual, one head]}]\n");
  const auto answer_with = [&](const std::string& reference) {
    std::vector<std::optional<RunScores>> all;
    for (int seed = 0; seed < 3; ++seed) {
      RunScores other = swept_scores(100, 10, 1, 50);
      other.examples.front().reference = reference;
      for (ExampleScore& example : other.examples) {
        example.negative_log_likelihood = 0.4;
      }
      all.insert(all.end(), {swept_scores(100, 10, 1, 100), other});
    }
    return answer_of(plan.chapters[0], plan, sweep_results(plan, all));
  };
  EXPECT_THAT(answer_with("0"), HasSubstr("(-0.0500, better, p 0.002)"));
  EXPECT_THAT(answer_with("x"), HasSubstr("(-0.0500, other examples)"));
}

TEST(SweepChapters, unknown_figures_are_named) {
  const SweepFile file =
      parse_sweep("config: " TAPEHEAD_SOURCE_DIR
                  "/configs/copy.yaml\n"
                  "axes: {point: {usual: {}, one head: {model.heads: 1}}}\n"
                  "chapters: [{question: What, points: [usual], figures: [parameter]}]\n",
                  "a.yaml");
  const SweepPlan plan = plan_sweep(file);
  EXPECT_TRUE(plan.study.maps);
  EXPECT_THAT(unknown_figures(file, sweep_results(plan, {swept_scores(100, 10, 1, 100),
                                                         swept_scores(100, 10, 1, 100)})),
              ElementsAre("a.yaml:3:56: figures: no run has a figure parameter; did you mean "
                          "parameters?"));
}

}}  // namespace tapehead
