// Training steps with a memory: bit-identical for any threads and ranks; only a successful step
// changes the memory.
#include "core/ops/arithmetic.hpp"
#include "tests/support/lanes.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index lanes_of_both = 14;  // in two batches
constexpr Index window_of_lane = 4;

Trainer::Options lane_training() {
  Trainer::Options options;
  options.training.learning_rate = 0.05;
  options.training.shards = 4;
  options.memory = LaneMemory::Size{
      .lanes = lanes_of_both, .layers = 2, .rows = 6, .d_model = lane_options().d_model};
  return options;
}

ModelOptions with_dropout() {
  ModelOptions options = lane_options(AttentionPositions::rotary);
  options.dropout = 0.2;
  return options;
}

// Two batches of 9 and 5 lanes. Some lanes end early, in the middle of a batch.
std::vector<Batch> lane_step(Index step) {
  std::vector<Batch> batches;
  const auto streams = random_sentences(lanes_of_both, 14, 22, 5);
  for (const auto& [first, end] : {std::pair{0, 9}, std::pair{9, 14}}) {
    batches.push_back(window_batch({streams.begin() + first, streams.begin() + end},
                                   step * window_of_lane, window_of_lane));
    for (Index& lane : batches.back().input.lanes) {
      lane += first;
    }
  }
  return batches;
}

// The losses, the weights and the memory after five steps.
using Trained = std::tuple<std::vector<double>, std::vector<Scalar>, std::vector<Scalar>>;

Trained train_lanes(Index threads, Ranks& ranks) {
  TinyTrainer training(with_dropout(), lane_training(), threads, ranks);
  std::vector<double> losses;
  for (Index step = 0; step < 5; ++step) {
    losses.push_back(training.step(lane_step(step)).loss);
  }
  const auto memory = training.trainer.memory()->committed().values();
  return {losses, training.weights(), {memory.begin(), memory.end()}};
}

TEST(LaneSteps, have_the_same_bits_by_any_threads_and_ranks) {
  const Trained expected = train_lanes(1, alone());
  EXPECT_EQ(train_lanes(3, alone()), expected);
  for (const Index count : {2, 3, 6}) {
    run_ranks(count, [&](Ranks& ranks) { EXPECT_EQ(train_lanes(1, ranks), expected); });
  }
}

// The second step reads the memory of the first; without the memory its loss differs.
TEST(LaneSteps, see_what_the_steps_before_left) {
  const auto second_loss = [](bool forget) {
    TinyTrainer training(with_dropout(), lane_training());
    training.step(lane_step(0));
    if (forget) {
      std::ranges::fill(training.trainer.memory()->committed().values(), Scalar{0});
    }
    return training.step(lane_step(1)).loss;
  };
  EXPECT_NE(second_loss(false), second_loss(true));
}

TEST(LaneSteps, that_fail_change_nothing_that_is_remembered) {
  TinyTrainer training(lane_options(), lane_training());
  training.step(lane_step(0));
  const Tensor before = training.trainer.memory()->committed().copy();
  const LossFunction not_finite = [&](Pass& pass, const Batch& batch) {
    CrossEntropy result = training.loss(pass, batch);
    if (batch.input.lanes.back() == lanes_of_both - 1) {  // after all other lanes were written
      result.loss = scale(result.loss, std::numeric_limits<Scalar>::quiet_NaN());
    }
    return result;
  };
  EXPECT_THROW(training.trainer.step(lane_step(1), not_finite), NumericError);
  EXPECT_THAT(training.trainer.memory()->committed().values(), ElementsAreArray(before.values()));
  // The next step has only the second batch; the first batch's lanes must not change.
  const std::vector<Batch> fewer{lane_step(1).back()};
  training.step(fewer);
  TinyTrainer other(lane_options(), lane_training());
  other.step(lane_step(0));
  other.step(fewer);
  EXPECT_THAT(training.trainer.memory()->committed().values(),
              ElementsAreArray(other.trainer.memory()->committed().values()));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
