// However a step is cut into batches, shards and pieces, its gradient is the same.

#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_trainer.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index sentence_count = 64;

// Batch i ends before sentence ends[i].
using Ends = std::vector<Index>;

std::vector<Batch> batches_up_to(const Ends& ends) {
  const std::vector<Sentence> sources = random_sentences(ends.back(), 0, 9, 1);
  const std::vector<Sentence> targets = random_sentences(ends.back(), 0, 9, 2);
  std::vector<Batch> batches;
  Index begin = 0;
  for (const Index end : ends) {
    batches.push_back(batch_of({sources.begin() + begin, sources.begin() + end},
                               {targets.begin() + begin, targets.begin() + end}));
    begin = end;
  }
  return batches;
}

// Two to fourteen batches, some with a single sentence.
Ends random_ends(std::uint64_t number) {
  const Draws draws(number, "tests.cuts", 0);
  Ends ends{sentence_count};
  for (std::uint64_t i = 0; i < 13; ++i) {
    ends.push_back(1 + draw_below(draws, i, sentence_count));
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::vector<double> velocity_of(TinyTrainer& training) {
  std::vector<double> velocity;
  for (const Tensor& block : training.trainer.optimizer().states().front().blocks) {
    velocity.insert(velocity.end(), block.values().begin(), block.values().end());
  }
  return velocity;
}

// The gradient that a step passes to the optimiser, read from SGD's momentum after the first step.
std::vector<double> gradient_of(const Ends& ends, Index shards, Index d_model = 1) {
  ModelOptions model = tiny_options();
  model.layers = 2;
  model.dropout = 0.3;
  model.attention.head_dropout.values = {0.3};
  model.attention.gates.values = {HeadGating::l0};
  Trainer::Options options;
  options.training.optimizer = OptimizerKind::sgd;
  options.training.weight_decay = 0;
  options.training.clip_norm = 0;
  options.training.gate_penalty = 0.7;
  options.training.shards = shards;
  options.d_model = d_model;
  TinyTrainer training(model, options);
  training.model.shake(0.2);
  training.step(batches_up_to(ends));
  return velocity_of(training);
}

void expect_the_whole_gradient(const Ends& ends, Index shards) {
  static const std::vector<double> whole = gradient_of({sentence_count}, 1);
  EXPECT_THAT(gradient_of(ends, shards), Pointwise(DoubleNear(1e-12), whole))
      << ends.size() << " batches in " << shards << " shards";
}

class TrainerCuts : public TestWithParam<Index> {};

INSTANTIATE_TEST_SUITE_P(Shards, TrainerCuts, testing::Range<Index>(1, 6));

TEST_P(TrainerCuts, of_one_batch) { expect_the_whole_gradient({sentence_count}, GetParam()); }

TEST_P(TrainerCuts, of_eight_batches) {
  expect_the_whole_gradient({8, 16, 24, 32, 40, 48, 56, 64}, GetParam());
}

TEST_P(TrainerCuts, of_batches_cut_anywhere) {
  for (const std::uint64_t number : {1, 2, 3}) {
    const Ends ends = random_ends(number);
    EXPECT_GT(ends.size(), 2U);
    expect_the_whole_gradient(ends, GetParam());
  }
}

// Pieces are large for d_model 1, and have about 630 rows for d_model 104.
TEST(TrainerCuts, of_a_large_shard_into_pieces) {
  const Ends end{200};
  const Batch batch = batches_up_to(end).front();
  ASSERT_EQ(cut_into_parts(batch, part_rows(104)).size(), 3U);
  ASSERT_EQ(cut_into_parts(batch, part_rows(1)).size(), 1U);
  EXPECT_THAT(gradient_of(end, 1, 104), Pointwise(DoubleNear(1e-12), gradient_of(end, 1)));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
