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

// What a step reports, and the gradient that it passes to the optimiser, read from SGD's momentum.
std::pair<StepStats, std::vector<double>> step_of(const Ends& ends, Index shards,
                                                  Index d_model = 1) {
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
  const StepStats stats = training.step(batches_up_to(ends));
  std::vector<double> velocity;
  for (const Tensor& block : training.trainer.optimizer().states().front().blocks) {
    velocity.insert(velocity.end(), block.values().begin(), block.values().end());
  }
  return {stats, velocity};
}

TEST(TrainerCuts, of_batches_and_shards_give_the_whole_gradient) {
  const auto [whole, gradient] = step_of({sentence_count}, 1);
  std::vector<Ends> cuts{{sentence_count}, {8, 16, 24, 32, 40, 48, 56, 64}};
  for (const std::uint64_t number : {1, 2, 3}) {
    cuts.push_back(random_ends(number));
    EXPECT_GT(cuts.back().size(), 2U);
  }
  for (const Ends& ends : cuts) {
    for (const Index shards : {1, 2, 3, 4, 5}) {
      SCOPED_TRACE(fmt::format("{} batches in {} shards", ends.size(), shards));
      const auto [stats, found] = step_of(ends, shards);
      EXPECT_THAT(found, Pointwise(DoubleNear(1e-12), gradient));
      EXPECT_EQ(stats.tokens, whole.tokens);
      EXPECT_EQ(stats.correct, whole.correct);
      EXPECT_NEAR(stats.loss, whole.loss, 1e-12);
      EXPECT_NEAR(stats.negative_log_likelihood, whole.negative_log_likelihood, 1e-12);
      EXPECT_NEAR(stats.gradient_norm, whole.gradient_norm, 1e-12);
    }
  }
}

// Pieces are large for d_model 1, and have about 630 rows for d_model 104.
TEST(TrainerCuts, of_a_large_shard_into_pieces) {
  const Ends end{200};
  const Batch batch = batches_up_to(end).front();
  ASSERT_EQ(cut_into_parts(batch, part_rows(104)).size(), 3U);
  ASSERT_EQ(cut_into_parts(batch, part_rows(1)).size(), 1U);
  EXPECT_THAT(step_of(end, 1, 104).second, Pointwise(DoubleNear(1e-12), step_of(end, 1).second));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
