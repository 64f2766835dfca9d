// Messages about evaluations without improvement, and about training that ends because of them.
#include "tests/support/testing.hpp"
#include "train/loop/training.hpp"

namespace tapehead { namespace {

Config config_with(Metric metric, Index patience) {
  Config config;
  config.evaluation.metric = metric;
  config.training.patience = patience;
  return config;
}

TrainingPosition position_after(Index evaluations, Index best_evaluation) {
  TrainingPosition position;
  position.evaluations = evaluations;
  position.best_evaluation = best_evaluation;
  position.best.value = 0.743;
  return position;
}

// A lower loss alone is no gain. The best since a resume is not called the best so far.
TEST(Patience, each_evaluation_says_what_it_gained) {
  using enum KeptWeights;
  const std::string count = "evaluations without a better sequence accuracy: 2 of 3)";
  const std::string loss = "  (best so far by the loss alone, with the same sequence accuracy";
  const std::string resume =
      "  (best since a resume; before the resume the best sequence accuracy was 74.30 %";
  struct Case {
    Index patience;
    Index evaluations;
    KeptWeights kept;
    std::string said;
  };
  for (const auto& [patience, evaluations, kept, said] :
       std::vector<Case>{{3, 4, best, "  (best so far)"},
                         {3, 6, lower_loss, loss + "; " + count},
                         {3, 6, none, "  (" + count},
                         {3, 6, since_resume, resume + "; " + count},
                         {0, 6, since_resume, resume + ")"},
                         {0, 6, none, ""},
                         {0, 6, lower_loss, loss + ")"}}) {
    const Config config = config_with(Metric::sequence_accuracy, patience);
    const TrainingPosition position = position_after(evaluations, 4);
    EXPECT_EQ(gain_text(config, position, kept), said);
    EXPECT_FALSE(out_of_patience(config, position));
  }
}

TEST(Patience, ends_with_the_metric_its_value_and_the_evaluations) {
  const Config config = config_with(Metric::sequence_accuracy, 3);
  ASSERT_TRUE(out_of_patience(config, position_after(7, 4)));
  EXPECT_EQ(patience_text(config, position_after(7, 4)),
            "training.patience: 3 ends the training: the best sequence accuracy is 74.30 %, of "
            "evaluation 4 of 7");
  const Config of_bleu = config_with(Metric::bleu, 2);
  ASSERT_TRUE(out_of_patience(of_bleu, position_after(2, 0)));
  EXPECT_EQ(
      patience_text(of_bleu, position_after(2, 0)),
      "training.patience: 2 ends the training: in all 2 evaluations the BLEU was not a number");
}

}}  // namespace tapehead
