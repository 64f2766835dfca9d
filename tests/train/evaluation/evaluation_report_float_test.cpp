// Which metrics the lines and tables of an evaluation contain. Correct outputs by type, counted by
// hand.
#include "train/evaluation/evaluation_report.hpp"

#include "tests/support/examples.hpp"
#include "tests/support/testing.hpp"
#include "train/evaluation/breakdowns.hpp"

namespace tapehead { namespace {

Evaluation with_all_metrics(Metric chooses) {
  Evaluation evaluation;
  evaluation.chooses = chooses;
  evaluation.metrics.fill(0.5);
  evaluation.signatures.fill("lc");
  return evaluation;
}

TEST(EvaluationReport, further_metrics_are_in_json_only_unless_one_of_them_chooses) {
  const Evaluation by_bleu = with_all_metrics(Metric::bleu);
  const auto hidden =
      Not(AnyOf(HasSubstr("ROUGE"), HasSubstr("token F1"), HasSubstr("exact match")));
  EXPECT_THAT(evaluation_line("test", by_bleu), AllOf(HasSubstr("chrF 0.50"), hidden));
  EXPECT_THAT(evaluation_table({{"test", by_bleu}}), AllOf(HasSubstr("chrF lc"), hidden));
  EXPECT_EQ(evaluation_json(by_bleu).at("rouge_l"), 0.5);
  EXPECT_EQ(evaluation_json(by_bleu).at("exact_match_signature"), "lc");
  const Evaluation by_match = with_all_metrics(Metric::exact_match);
  EXPECT_THAT(evaluation_line("test", by_match),
              HasSubstr("ROUGE-L 0.5000, token F1 50.00 %, exact match 50.00 %"));
  EXPECT_THAT(evaluation_table({{"test", by_match}}),
              AllOf(HasSubstr("exact match"), HasSubstr("ROUGE-L lc")));
}

// Type counts: 4 of 5 and 2 of 2 correct; together 6 of 7, 85.71 %.
TEST(EvaluationReport, types_have_a_table_and_lists_of_their_own) {
  Evaluation evaluation = with_all_metrics(Metric::loss);
  EXPECT_THAT(evaluation_table({{"test", evaluation}}), Not(HasSubstr("type")));
  EXPECT_FALSE(evaluation_json(evaluation).contains("types"));
  evaluation.by_type = {.types = {{"passive", 5, 4}, {"recursion", 2, 2}},
                        .groups = {{"all", 7, 6}}};
  const std::string table =
      evaluation_table({{"test", with_all_metrics(Metric::loss)}, {"gen", evaluation}});
  EXPECT_THAT(table, HasSubstr("\n  split  type       examples  sequences right\n"));
  EXPECT_THAT(table, HasSubstr("\n  gen    passive           5          80.00 %\n"));
  EXPECT_THAT(table, HasSubstr("\n  gen    all               7          85.71 %"));
  const auto json = evaluation_json(evaluation);
  EXPECT_EQ(json["types"], nlohmann::ordered_json::parse(R"([
    {"type": "passive", "examples": 5, "sequence_accuracy": 0.8},
    {"type": "recursion", "examples": 2, "sequence_accuracy": 1.0}])"));
  EXPECT_EQ(json["type_groups"][0]["group"], "all");
  EXPECT_EQ(json["type_groups"][0]["examples"], 7);
}

TEST(EvaluationReport, labels_that_a_sequence_decides_are_apart_from_others) {
  Evaluation evaluation = with_all_metrics(Metric::loss);
  evaluation.answers = {.answers = 4, .answers_right = 3, .others = 5, .others_right = 1};
  EXPECT_THAT(
      evaluation_table({{"test", evaluation}}),
      HasSubstr("test: accuracy on the 4 labels that the sequence itself decides: 75.00 %, on "
                "the 5 other labels: 20.00 %"));
  EXPECT_EQ(evaluation_json(evaluation).at("answer_accuracy"), 0.75);
}

Split split_of_types(const std::string& name, std::vector<std::string> types) {
  Split split = split_of_pairs(Examples(types.size()), {}, name);
  split.types = std::move(types);
  return split;
}

std::vector<std::string> texts_of(const std::vector<TypeScore>& scores) {
  return mapped(scores, [](const TypeScore& score) {
    return fmt::format("{} {}/{}", score.name, score.right, score.examples);
  });
}

using Texts = std::vector<std::string>;

TEST(TypeScores, count_right_outputs_of_types_and_groups) {
  const std::vector<TypeGroup> groups{{.name = "rest", .types = {"c", "a"}},
                                      {.name = "other", .types = {"x"}},
                                      {.name = "b_alone", .types = {"b", "x"}}};
  const Split split = split_of_types("gen", {"b", "a", "b", "c", "b"});
  const TypeScores scores = type_scores(split, groups, {true, true, false, false, true});
  EXPECT_THAT(texts_of(scores.types), ElementsAre("a 1/1", "b 2/3", "c 0/1"));
  EXPECT_THAT(texts_of(scores.groups), ElementsAre("rest 1/2", "b_alone 2/3"));
  EXPECT_DOUBLE_EQ(scores.types[1].share(), 2.0 / 3);
  // Two examples were written out.
  EXPECT_THAT(texts_of(type_scores(split, groups, {true, false}).types),
              ElementsAre("a 0/1", "b 1/1"));
  const TypeScores none = type_scores(split_of_pairs(Examples(2)), groups, {true, true});
  EXPECT_TRUE(none.types.empty() && none.groups.empty());
}

TEST(TypeScores, of_all_test_splits_together_need_types_in_each) {
  Task task;
  task.splits = {split_of_types("train", {"t"}), split_of_types("test", {"a"}),
                 split_of_types("gen", {"b", "c"})};
  EXPECT_EQ(test_splits(task).back().types, (Texts{"a", "b", "c"}));
  EXPECT_EQ(splits_named(task, "test").size(), 3U);
  EXPECT_EQ(splits_named(task, "whole").front().types, (Texts{"a", "b", "c"}));
  task.splits[1].types.clear();
  EXPECT_EQ(test_splits(task).back().types, Texts());
  task.splits.pop_back();
  EXPECT_EQ(splits_named(task, "test").size(), 1U);
  EXPECT_THROW(splits_named(task, "whole"), DataError);
}

}}  // namespace tapehead
