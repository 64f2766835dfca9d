// Messages about evaluations without improvement, and about training that ends because of them.
#include "tests/support/testing.hpp"
#include "train/loop/validation.hpp"

namespace tapehead { namespace {

// The best is evaluation 4.
Waiting waiting_for(Index patience, Index evaluations) {
  return {.metric = Metric::sequence_accuracy,
          .patience = patience,
          .evaluations = evaluations,
          .best_evaluation = 4,
          .best_value = 0.743};
}

// A lower loss alone is no gain. The best since a resume is not called the best so far.
TEST(Patience, each_evaluation_says_what_it_gained) {
  using enum KeptWeights;
  const std::string count = "evaluations without a better sequence accuracy: 2 of 3)";
  const std::string loss = "  (best so far by the loss alone, sequence accuracy is as before";
  const std::string resume =
      "  (best since a resume; the best sequence accuracy before it was 74.30 %";
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
    EXPECT_EQ(gain_text(waiting_for(patience, evaluations), kept), said);
    EXPECT_FALSE(waiting_for(patience, evaluations).over());
  }
}

TEST(Patience, ends_with_the_metric_its_value_and_the_evaluations) {
  ASSERT_TRUE(waiting_for(3, 7).over());
  EXPECT_EQ(patience_text(waiting_for(3, 7)),
            "training.patience: 3 ends the training: the best sequence accuracy is 74.30 %, of "
            "evaluation 4 of 7");
  const Waiting never{.metric = Metric::bleu, .patience = 2, .evaluations = 2};
  ASSERT_TRUE(never.over());
  EXPECT_EQ(patience_text(never),
            "training.patience: 2 ends the training: none of 2 evaluations had a BLEU that is a "
            "number");
}

}}  // namespace tapehead
