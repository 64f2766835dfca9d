// Messages about evaluations without improvement, and about training that ends because of them.
#include "tests/support/testing.hpp"
#include "train/loop/validation.hpp"

namespace tapehead { namespace {

constexpr Waiting after_the_best{.metric = Metric::sequence_accuracy,
                                 .patience = 3,
                                 .evaluations = 4,
                                 .best_evaluation = 4,
                                 .best_value = 0.743};

Waiting later(Index evaluations) {
  Waiting waiting = after_the_best;
  waiting.evaluations += evaluations;
  return waiting;
}

TEST(Patience, an_evaluation_that_gains_is_the_best_so_far) {
  EXPECT_EQ(gain_text(after_the_best, KeptWeights::best), "  (best so far)");
  EXPECT_FALSE(after_the_best.over());
}

TEST(Patience, a_lower_loss_alone_is_no_gain_and_says_so) {
  EXPECT_EQ(gain_text(later(2), KeptWeights::lower_loss),
            "  (best so far by the loss alone, sequence accuracy is as before; evaluations without "
            "a better sequence accuracy: 2 of 3)");
  EXPECT_EQ(gain_text(later(2), KeptWeights::none),
            "  (evaluations without a better sequence accuracy: 2 of 3)");
}

TEST(Patience, the_best_since_a_resume_is_not_called_the_best_so_far) {
  Waiting waiting = later(2);
  EXPECT_EQ(gain_text(waiting, KeptWeights::since_resume),
            "  (best since a resume; the best sequence accuracy before it was 74.30 %; evaluations "
            "without a better sequence accuracy: 2 of 3)");
  waiting.patience = 0;
  EXPECT_EQ(gain_text(waiting, KeptWeights::since_resume),
            "  (best since a resume; the best sequence accuracy before it was 74.30 %)");
}

TEST(Patience, without_an_end_is_not_counted) {
  Waiting waiting = later(2);
  waiting.patience = 0;
  EXPECT_EQ(gain_text(waiting, KeptWeights::none), "");
  EXPECT_EQ(gain_text(waiting, KeptWeights::lower_loss),
            "  (best so far by the loss alone, sequence accuracy is as before)");
  EXPECT_FALSE(waiting.over());
}

TEST(Patience, ends_with_the_metric_its_value_and_the_evaluations) {
  EXPECT_FALSE(later(2).over());
  ASSERT_TRUE(later(3).over());
  EXPECT_EQ(patience_text(later(3)),
            "training.patience: 3 ends the training: the best sequence accuracy is 74.30 %, of "
            "evaluation 4 of 7");
}

TEST(Patience, ends_without_a_best_where_no_value_was_a_number) {
  const Waiting waiting{.metric = Metric::bleu, .patience = 2, .evaluations = 2};
  ASSERT_TRUE(waiting.over());
  EXPECT_EQ(patience_text(waiting),
            "training.patience: 2 ends the training: none of 2 evaluations had a BLEU that is a "
            "number");
}

}}  // namespace tapehead
