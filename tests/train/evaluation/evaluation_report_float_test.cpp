// Which metrics of an evaluation lines and tables have.
#include "train/evaluation/evaluation_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapehead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
      Not(::testing::AnyOf(HasSubstr("ROUGE"), HasSubstr("token F1"), HasSubstr("exact match")));
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

}  // namespace
}  // namespace tapehead
