// Which metrics the lines and tables of an evaluation contain.
#include "tests/support/testing.hpp"
#include "train/evaluation/evaluation_report.hpp"

namespace tapehead { namespace {

Evaluation with_all_metrics(Metric chooses) {
  Evaluation evaluation;
  evaluation.chooses = chooses;
  evaluation.metrics.fill(0.5);
  evaluation.signatures.fill("lc");
  return evaluation;
}

TEST(EvaluationReport, further_metrics_are_in_json_only) {
  const Evaluation evaluation = with_all_metrics(Metric::bleu);
  const auto hidden =
      Not(AnyOf(HasSubstr("ROUGE"), HasSubstr("token F1"), HasSubstr("exact match")));
  EXPECT_THAT(evaluation_line("test", evaluation), AllOf(HasSubstr("chrF 0.50"), hidden));
  EXPECT_THAT(evaluation_table({{"test", evaluation}}), AllOf(HasSubstr("chrF lc"), hidden));
  EXPECT_EQ(evaluation_json(evaluation).at("rouge_l"), 0.5);
  EXPECT_EQ(evaluation_json(evaluation).at("exact_match_signature"), "lc");
}

TEST(EvaluationReport, further_metrics_are_everywhere_if_one_of_them_chooses) {
  const Evaluation evaluation = with_all_metrics(Metric::exact_match);
  EXPECT_THAT(evaluation_line("test", evaluation),
              HasSubstr("ROUGE-L 0.5000, token F1 50.00 %, exact match 50.00 %"));
  EXPECT_THAT(evaluation_table({{"test", evaluation}}),
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
  EXPECT_THAT(evaluation_table({{"test", evaluation}}),
              HasSubstr("test: of 4 labels that the sequence itself decides 75.00 % are right, of "
                        "5 others 20.00 %"));
  EXPECT_EQ(evaluation_json(evaluation).at("answer_accuracy"), 0.75);
}

}}  // namespace tapehead
