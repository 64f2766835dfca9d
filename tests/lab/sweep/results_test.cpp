// The results of a sweep, from scores made by hand.
#include "lab/sweep/results.hpp"

#include "lab/sweep/plan.hpp"
#include "tests/support/swept_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

SweepPlan plan_with(const std::string& text) {
  return plan_sweep(parse_sweep("config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n" + text, "a"));
}

// Three cells with two seeds.
SweepPlan three_cell_plan(Metric metric = Metric::sequence_accuracy) {
  SweepPlan plan = plan_with(
      "seeds: 2\naxes: {size: {\"a,\\\"b\\\"\": {model.heads: 1}, "
      "middle: {model.heads: 2}, large: {model.heads: 4}}}\n");
  plan.metric = metric;
  return plan;
}

void set_loss(std::optional<RunScores>& run, double loss) {
  for (ExampleScore& example : run->examples) {
    example.negative_log_likelihood = loss;
  }
}

// All cells with the first seed, then all cells with the second.
using Scores = std::vector<std::optional<RunScores>>;
const Scores three_cells{swept_scores(100, 10, 1), swept_scores(190, 20, 3),
                         swept_scores(191, 40, 2), swept_scores(104, 10, 2),
                         swept_scores(194, 20, 3), swept_scores(192, 40, 4)};

TEST(SweepResults, means_and_sample_deviations_over_seeds) {
  const SweepResults results = sweep_results(three_cell_plan(), three_cells);
  ASSERT_EQ(results.cells.size(), 3U);
  const SweepFigures<Spread>& figures = results.cells[0].figures;
  const Spread first = figures.at("sequence_accuracy");
  EXPECT_DOUBLE_EQ(first.mean, 0.51);
  EXPECT_NEAR(first.deviation, 0.02 / std::sqrt(2.0), 1e-12);  // of 0.50 and 0.52
  EXPECT_EQ(results.cells[2].figures.at("parameters").deviation, 0);
  EXPECT_DOUBLE_EQ(figures.at("multiply_adds").mean, 50000);
  EXPECT_DOUBLE_EQ(figures.at("tokens_per_second").mean, (5000 + 2500) / 2.0);
  EXPECT_DOUBLE_EQ(figures.at("loss").mean, 0.25);
  EXPECT_EQ(spread_of({3}).deviation, 0);
}

// Accuracies 0.51, 0.96 and 0.9575; the third cell costs twice as much as the second.
TEST(SweepResults, the_cheapest_is_sought_among_those_not_significantly_worse_than_the_best) {
  const SweepResults results = sweep_results(three_cell_plan(), three_cells);
  EXPECT_EQ(results.best, 1U);
  EXPECT_THAT(results.cheapest, ElementsAre(1U));
  EXPECT_TRUE(results.cells[0].to_best->significant());
  EXPECT_LT(results.cells[0].to_best->mean, 0);
  EXPECT_FALSE(results.cells[2].to_best->significant());
  EXPECT_EQ(results.comparisons.size(), 3U);
  // Two cells are compared with the best, and three pairs of cells with each other.
  EXPECT_DOUBLE_EQ(results.cells[0].to_best->p_holm, 2 * results.cells[0].to_best->p);
  EXPECT_DOUBLE_EQ(results.comparisons[0].difference->p_holm,
                   3 * results.comparisons[0].difference->p);

  Scores better = three_cells;
  better[2] = better[5] = swept_scores(195, 40, 2);
  EXPECT_EQ(sweep_results(three_cell_plan(), better).best, 2U);
  EXPECT_THAT(sweep_results(three_cell_plan(), better).cheapest, ElementsAre(1U));

  // By loss, less is better.
  Scores all = three_cells;
  set_loss(all[0], 0.4);
  set_loss(all[3], 0.4);
  const SweepResults by_loss = sweep_results(three_cell_plan(Metric::loss), all);
  EXPECT_EQ(by_loss.best, 0U);
  EXPECT_THAT(by_loss.cheapest, ElementsAre(0U));
  EXPECT_GT(by_loss.cells[1].to_best->mean, 0);
}

TEST(SweepResults, equal_cost_is_a_tie_whichever_cell_comes_first) {
  Scores tied = three_cells;
  tied[2]->multiply_adds_per_token = tied[5]->multiply_adds_per_token = 20;
  const SweepPlan plan = three_cell_plan();
  const SweepResults results = sweep_results(plan, tied);
  EXPECT_EQ(results.best, 1U);
  EXPECT_THAT(results.cheapest, ElementsAre(1U, 2U));
  EXPECT_THAT(results_table(plan, results),
              AllOf(HasSubstr("best, cheapest (tie)"), HasSubstr("not significant, cheapest (tie)"),
                    HasSubstr("a tie of 2 cells with equal multiply-adds and parameters: "
                              "size=middle; size=large\n")));
  EXPECT_EQ(results_json(plan, results)["cells"][2]["cheapest_not_significantly_worse"], true);
  // With equal multiply-adds, the cell with fewer parameters is cheaper.
  tied[2]->parameters = tied[5]->parameters = 99;
  EXPECT_THAT(sweep_results(plan, tied).cheapest, ElementsAre(2U));
  // Every cell costs more with seed 2, which the last cell lacks: only seed 1 counts.
  EXPECT_THAT(sweep_results(plan, {swept_scores(10, 10, 1), swept_scores(190, 20, 3),
                                   swept_scores(191, 20, 2), swept_scores(10, 10, 2),
                                   swept_scores(194, 30, 3), std::nullopt})
                  .cheapest,
              ElementsAre(1U, 2U));
}

TEST(SweepResults, runs_that_are_missing_leave_the_others) {
  Scores some = three_cells;
  some[0] = some[3] = some[4] = std::nullopt;
  const SweepResults results = sweep_results(three_cell_plan(), some);
  ASSERT_EQ(results.cells.size(), 2U);
  EXPECT_EQ(results.cells[0].runs, 1U);
  EXPECT_EQ(results.cells[results.best].cell, 2U);
  EXPECT_NEAR(results.cells[0].to_best->mean, -0.005, 1e-12);  // by the one common seed
}

// Examples differ by their reference or, for windows of a text, by the text.
TEST(SweepResults, tests_of_other_examples_are_not_compared) {
  Scores other = three_cells;
  other[0]->examples.front().reference = other[3]->examples.front().reference = "x";
  const SweepResults results = sweep_results(three_cell_plan(), other);
  EXPECT_FALSE(results.cells[0].to_best);
  EXPECT_FALSE(results.is_cheapest(0));
  EXPECT_THAT(results_table(three_cell_plan(), results), HasSubstr("not comparable"));

  Scores texts = three_cells;
  for (auto& run : texts) {
    run->text = "a";
    for (ExampleScore& example : run->examples) {
      example.reference = "";
    }
  }
  texts[0]->text = texts[3]->text = "b";
  texts[2]->text = texts[5]->text = "";  // an older version did not write it
  set_loss(texts[1], 0.4);
  const SweepResults of_texts = sweep_results(three_cell_plan(Metric::loss), texts);
  ASSERT_EQ(of_texts.best, 1U);
  EXPECT_FALSE(of_texts.cells[0].to_best);
  EXPECT_TRUE(of_texts.cells[2].to_best);
}

// The first cell is worse than the last with seed 1 and better with seed 2, which the last lacks.
TEST(SweepResults, the_best_is_named_by_the_seeds_that_all_cells_have) {
  const SweepPlan plan = three_cell_plan();
  const SweepResults results = sweep_results(
      plan, {swept_scores(100, 10, 1), swept_scores(20, 20, 3), swept_scores(130, 40, 2),
             swept_scores(198, 10, 2), swept_scores(30, 20, 3), std::nullopt});
  EXPECT_THAT(results.shared_seeds, ElementsAre(1U));
  EXPECT_EQ(results.best, 2U);
  EXPECT_DOUBLE_EQ(results.cells[0].to_best->mean, -30.0 / 200);
  EXPECT_TRUE(results.cells[0].to_best->significant());
  EXPECT_EQ(results.cells[0].to_best->pairs, 1U);
  EXPECT_THAT(cells_with_fewer_seeds(results), ElementsAre(2U));
  EXPECT_THAT(results_table(plan, results),
              AllOf(HasSubstr("best: size=large"),
                    HasSubstr("by the means over the seeds that all cells have (1); cells with "
                              "fewer seeds: size=large"),
                    HasSubstr("\none seed: p says nothing about other seeds"),
                    Not(HasSubstr("better on shared seeds"))));

  Scores uneven = three_cells;
  uneven[3] = std::nullopt;
  const SweepResults one_seed = sweep_results(plan, uneven);
  ASSERT_EQ(one_seed.best, 2U);  // 191 against 190 and 100 with seed 1
  EXPECT_EQ(one_seed.cells[1].to_best->pairs, 2U);
  EXPECT_THAT(results_table(plan, one_seed),
              HasSubstr("one seed shared with the best by size=a,\"b\": p says nothing"));
}

// Cells with seeds 1 and 2, with seed 1 only and with seed 2 only: no seed is common to all.
TEST(SweepResults, a_cell_that_beats_the_best_on_their_seeds_is_not_called_worse) {
  const SweepPlan plan = three_cell_plan();
  const SweepResults results =
      sweep_results(plan, {swept_scores(100, 10, 1), swept_scores(130, 20, 3), std::nullopt,
                           swept_scores(198, 10, 2), std::nullopt, swept_scores(20, 40, 4)});
  EXPECT_TRUE(results.shared_seeds.empty());
  ASSERT_EQ(results.best, 0U);
  EXPECT_TRUE(results.cells[1].to_best->significant());
  EXPECT_TRUE(better_than_best(results, results.cells[1]));
  EXPECT_FALSE(better_than_best(results, results.cells[2]));
  EXPECT_THAT(results_table(plan, results),
              AllOf(HasSubstr("better on shared seeds"),
                    HasSubstr("each cell's own seeds, since no seed is in all cells")));
}

TEST(SweepResults, further_figures_are_those_of_the_runs_that_have_them) {
  Scores studied = three_cells;
  studied[0]->figures = {{"cross.entropy", 1}, {"train.loss", 0.5}};
  studied[3]->figures = {{"cross.entropy", 2}};
  SweepPlan sweep = three_cell_plan();
  sweep.show = {"cross.entropy", "loss"};
  const SweepResults results = sweep_results(sweep, studied);
  const SweepFigures<Spread>& figures = results.cells[0].figures;
  EXPECT_EQ(figures.at("cross.entropy").mean, 1.5);
  EXPECT_DOUBLE_EQ(figures.at("cross.entropy").deviation, std::sqrt(0.5));
  EXPECT_EQ(figures.at("train.loss").mean, 0.5);
  EXPECT_FALSE(results.cells[1].figures.find("cross.entropy"));
  EXPECT_THAT(
      results_table(sweep, results),
      AllOf(HasSubstr("cross.entropy"), HasSubstr("1.5 ± 0.707"), HasSubstr("0.2500 ± 0.0000")));
  EXPECT_THAT(runs_csv(sweep, results), AllOf(HasSubstr(",cross.entropy,train.loss\n"),
                                              HasSubstr(",1,0.5\n"), HasSubstr(",,\n")));
  EXPECT_THAT(cells_csv(sweep, results),
              HasSubstr(",cross.entropy,cross.entropy_deviation,train.loss,train.loss_deviation,"));
  const auto written = results_json(sweep, results);
  EXPECT_EQ(written["cells"][0]["cross.entropy"]["mean"], 1.5);
  EXPECT_EQ(written["show"][0], "cross.entropy");
  EXPECT_EQ(written["runs"][0]["train.loss"], 0.5);
  SweepFile file;
  file.show = {{"cross.entropy", "a:1:2: show"}, {"cross.entropi", "a:1:9: show"}};
  EXPECT_THAT(unknown_figures(file, results),
              ElementsAre("a:1:9: show: no run has a figure cross.entropi; did you mean "
                          "cross.entropy?"));
}

TEST(SweepFront, holds_what_nothing_beats_in_both) {
  const auto front = [](const std::string& steps, const Scores& of_cells) {
    std::vector<bool> on_front;
    for (const CellResult& cell :
         sweep_results(plan_with("axes: {training.steps: [" + steps + "]}\n"), of_cells).cells) {
      on_front.push_back(cell.on_front);
    }
    return on_front;
  };
  EXPECT_THAT(front("600, 601, 602, 603, 604, 605",
                    {swept_scores(100, 1, 1), swept_scores(100, 1, 2), swept_scores(180, 1, 2),
                     swept_scores(160, 1, 3), swept_scores(190, 1, 4), swept_scores(190, 1, 4)}),
              ElementsAre(true, false, true, false, true, true));
  EXPECT_THAT(front("600", {swept_scores(200, 1, 1)}), ElementsAre(true));
}

// d_model 64: heads without projections have width 64, four other heads a quarter each.
TEST(SweepReport, tells_the_widths_of_heads) {
  const auto reported = [](const std::string& settings, std::size_t cells) {
    const SweepPlan plan = plan_with("set: {model.heads: 4}\naxes: {x: {a: {" + settings +
                                     "}, b: {task.max_length: 9}, c: {model.d_model: 32}}}\n");
    Scores some(plan.runs.size());
    std::fill_n(some.begin(), cells, swept_scores(100, 10, 1));
    const SweepResults results = sweep_results(plan, some);
    return std::pair(results_table(plan, results), results_json(plan, results)["cells"]);
  };
  const auto [table, cells] = reported("attention.sharing: identity", 2);
  EXPECT_THAT(table, AllOf(ContainsRegex("  head width  parameters"),
                           ContainsRegex("a  .* +64 +100 "), ContainsRegex("b  .* +16 +100 ")));
  EXPECT_EQ(cells[0]["head_width"], "64");
  EXPECT_EQ(cells[1]["head_width"], "16");
  EXPECT_EQ(reported("cross.d_qk: 8", 1).second[0]["head_width"], "16, 8/16");
}

TEST(SweepReport, has_a_table_from_the_best_on_csv_with_quotes_and_json_with_each_comparison) {
  const SweepPlan sweep = three_cell_plan();
  const SweepResults results = sweep_results(sweep, three_cells);
  const std::string table = results_table(sweep, results);
  EXPECT_LT(table.find("middle"), table.find("large"));
  EXPECT_LT(table.find("large"), table.find("a,\"b\""));
  EXPECT_THAT(table, AllOf(HasSubstr("96.00 %"), HasSubstr("not significant"), HasSubstr("2/2"),
                           HasSubstr("best: size=middle"), Not(HasSubstr("one seed"))));
  const std::string runs = runs_csv(sweep, results);
  EXPECT_EQ(std::ranges::count(runs, '\n'), 7);
  EXPECT_THAT(runs, AllOf(HasSubstr("size,seed,run,split,examples,steps,parameters,"),
                          HasSubstr("\n\"a,\"\"b\"\"\",1,\"size=a,_b_,seed=1\",test,200,10,100,")));
  const std::string cells = cells_csv(sweep, results);
  EXPECT_EQ(std::ranges::count(cells, '\n'), 4);
  EXPECT_THAT(cells, AllOf(HasSubstr("sequence_accuracy,sequence_accuracy_deviation"),
                           HasSubstr(",p,p_holm,pairs,best,")));
  const auto written = results_json(sweep, results);
  EXPECT_EQ(written["cells"].size(), 3U);
  EXPECT_EQ(written["runs"].size(), 6U);
  EXPECT_EQ(written["comparisons"].size(), 3U);
  EXPECT_EQ(written["cells"][1]["best"], true);
  EXPECT_EQ(written["cells"][0]["to_best"]["significant"], true);
  EXPECT_EQ(written["cells"][0]["to_best"]["pairs"], 2);
  EXPECT_EQ(written["shared_seeds"], nlohmann::json({1, 2}));
  EXPECT_EQ(written["runs"][0]["settings"]["size"], "a,\"b\"");
  EXPECT_EQ(written["runs"][3]["overrides"][1], "seed=2");
}

}}  // namespace tapehead
