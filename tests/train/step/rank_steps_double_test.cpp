// Steps that several threads or ranks (threads here) take together are bit-identical to those of
// one.
#include <mutex>

#include "core/ops/arithmetic.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// The results of a training of some steps.
struct RankRun {
  std::vector<StepStats> stats;
  std::vector<Scalar> values;
  std::vector<std::vector<Scalar>> states;  // optimiser state of the rank's slice
};

// Two batches per step; the second has 2 sentences, fewer than there are shards.
std::vector<Batch> batches_of_step(std::uint64_t step) {
  const std::vector<Sentence> few = random_sentences(2, 1, 9, 100 + step);
  return {copy_batch(step), batch_of(few, few)};
}

// A model with parameters of one chunk and of several chunks, with gates, dropout and tied tables.
ModelOptions rank_model() {
  ModelOptions model = tiny_options();
  model.layers = 2;
  model.d_ff = 3000;  // several chunks per matrix
  model.dropout = 0.3;
  model.attention.gates.values = {HeadGating::l0};
  return model;
}

Trainer::Options rank_options(OptimizerKind optimizer) {
  Trainer::Options options;
  options.training.optimizer = optimizer;
  options.training.learning_rate = 0.01;
  options.training.clip_norm = 0.1;
  options.training.gate_penalty = 0.7;
  options.training.weight_decay = 0.01;
  options.training.shards = 4;
  return options;
}

RankRun run_steps(OptimizerKind optimizer, Index threads, Ranks& ranks) {
  TinyTrainer training(rank_model(), rank_options(optimizer), threads, ranks);
  RankRun run;
  for (std::uint64_t step = 0; step < 3; ++step) {
    run.stats.push_back(training.step(batches_of_step(step)));
  }
  run.values = training.weights();
  Optimizer& kept = training.trainer.optimizer();
  for (const Optimizer::State& state : kept.states()) {
    for (const NamedParameter& parameter : training.model.store.parameters()) {
      if (state.belongs_to(parameter)) {
        const std::span<Scalar> numbers = kept.kept(state, parameter);
        run.states.emplace_back(numbers.begin(), numbers.end());
      }
    }
  }
  return run;
}

auto numbers_of(const StepStats& stats) {
  return std::tuple(stats.loss, stats.negative_log_likelihood, stats.penalty, stats.correct,
                    stats.tokens, stats.gradient_norm);
}

class RankSteps : public TestWithParam<OptimizerKind> {};

INSTANTIATE_TEST_SUITE_P(Optimizers, RankSteps,
                         Values(OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::muon));

TEST_P(RankSteps, are_those_of_one_process_to_the_last_bit) {
  const RankRun expected = run_steps(GetParam(), 1, alone());
  for (const Index threads : {2, 3, 8}) {  // which share chunks but never cut them differently
    const RankRun found = run_steps(GetParam(), threads, alone());
    EXPECT_EQ(found.values, expected.values) << threads << " threads";
    EXPECT_EQ(found.states, expected.states) << threads << " threads";
  }
  for (const Index count : {2, 3, 4, 6}) {  // with 6, two ranks have no shard
    SCOPED_TRACE(fmt::format("{} ranks", count));
    std::vector<RankRun> runs(static_cast<std::size_t>(count));
    run_ranks(count, [&](Ranks& ranks) {
      runs[static_cast<std::size_t>(ranks.rank())] =
          run_steps(GetParam(), 1 + ranks.rank() % 2, ranks);
    });
    for (const RankRun& run : runs) {
      EXPECT_EQ(run.values, expected.values);
      for (std::size_t step = 0; step < expected.stats.size(); ++step) {
        EXPECT_EQ(numbers_of(run.stats[step]), numbers_of(expected.stats[step]));
      }
    }
    std::vector<std::size_t> kept(runs.size(), 0);  // numbers that each rank keeps
    for (std::size_t i = 0; i < expected.states.size(); ++i) {
      std::vector<Scalar> together;
      for (std::size_t rank = 0; rank < runs.size(); ++rank) {
        const std::vector<Scalar>& state = runs[rank].states[i];
        together.insert(together.end(), state.begin(), state.end());
        kept[rank] += state.size();
      }
      EXPECT_EQ(together, expected.states[i]) << "state " << i;
    }
    if (count == 3) {  // a third, in whole chunks or matrices
      const std::size_t all = std::accumulate(kept.begin(), kept.end(), std::size_t{0});
      EXPECT_THAT(kept, Each(Lt(all * 6 / 10)));
    }
  }
}

TEST(RankStep, sends_as_many_bytes_as_it_says) {
  double said = 0;
  std::mutex mutex;
  const auto steps = [&](Index count) {
    return [&, count](Ranks& ranks) {
      TinyTrainer training(rank_model(), rank_options(OptimizerKind::adam), 1, ranks);
      for (Index step = 0; step < count; ++step) {
        training.step({copy_batch(1)});
      }
      const std::lock_guard lock(mutex);
      said += training.trainer.bytes_sent();
    };
  };
  const auto two = static_cast<double>(run_ranks(2, steps(2)));
  const auto one = static_cast<double>(run_ranks(2, steps(1)));
  said /= 2;
  EXPECT_NEAR(two - one, said, 0.02 * said) << "marks, squares and results come to little";
}

// Each rank has the error of one process, and its weights are as before.
void expect_failure(Index count, const std::string& words,
                    const std::function<void(TinyTrainer&)>& step) {
  const auto message = [&](Ranks& ranks) {
    TinyTrainer training(rank_model(), rank_options(OptimizerKind::adam), 1, ranks);
    const std::vector<Scalar> before = training.weights();
    std::string error = message_of<NumericError>([&] { step(training); });
    EXPECT_EQ(training.weights(), before);
    return error;
  };
  const std::string expected = message(alone());
  EXPECT_THAT(expected, HasSubstr(words));
  run_ranks(count, [&](Ranks& ranks) { EXPECT_EQ(message(ranks), expected); });
}

// The shard with example 3 has an infinite loss.
TEST(RankStep, that_is_not_finite_fails_alike_on_all_ranks) {
  expect_failure(3, "scale: the value is inf", [](TinyTrainer& training) {
    Batch batch = copy_batch(1);
    batch.examples.resize(static_cast<std::size_t>(batch.sequences()));
    std::iota(batch.examples.begin(), batch.examples.end(), Index{0});
    training.trainer.step({batch}, [&](Pass& pass, const Batch& part) {
      CrossEntropy result = training.loss(pass, part);
      if (std::ranges::find(part.examples, 3) != part.examples.end()) {
        const auto most = std::numeric_limits<Scalar>::max();
        result.loss = scale(scale(result.loss, most), most);
      }
      return result;
    });
  });
}

// Like the test before, but with a finite loss and a gradient that is not finite.
TEST(RankStep, names_the_parameter_whose_gradient_is_not_finite) {
  expect_failure(4, "is not finite: element", [](TinyTrainer& training) {
    const ParameterStore& store = training.model.store;
    ParameterGradients gradients(store);
    for (Index block = 0; block < store.blocks(); ++block) {
      const GradientSlot slot = gradients.slot(block);
      Tensor memory = slot.memory;
      std::ranges::fill(memory.values(), Scalar{0});
      if (block >= store.blocks() / 2) {
        memory.values().back() = std::numeric_limits<Scalar>::quiet_NaN();
      }
      *slot.written = true;
    }
    training.trainer.optimizer().step(training.workers, {&gradients}, 1, 0.1);
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
