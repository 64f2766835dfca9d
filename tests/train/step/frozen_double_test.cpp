// Frozen parameters keep their initial values, and the rest learns as if they were constants,
// whatever the optimiser, shards and ranks.
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Patterns = std::vector<std::string>;

// A TinyModel with some parameters frozen.
struct PartlyFrozen {
  PartlyFrozen(const ModelOptions& options, const Patterns& frozen)
      : store(frozen), transformer(store.root(), options, tiny_vocabulary, tiny_vocabulary) {
    store.initialize(1);
  }

  ParameterStore store;
  Transformer transformer;
};

ModelOptions frozen_model() {
  ModelOptions options = tiny_options();
  options.layers = 2;
  options.dropout = 0.2;
  options.feed_forward = FeedForwardKind::gated;
  return options;
}

// A parameter's gradient; empty if none. A frozen one in a block with trained ones has a gradient.
std::vector<double> gradient_of(const PartlyFrozen& model, const std::string& name) {
  ParameterGradients gradients(model.store);
  Tape tape;
  Pass pass(tape, model.store, gradients, 11, 3);
  tape.backward(batch_loss(model.transformer, pass, copy_batch(1), {}).loss);
  for (const NamedParameter& parameter : model.store.parameters()) {
    if (parameter.name == name && gradients.written(parameter.block)) {
      const Scalar* from = gradients.data(parameter.block) + parameter.offset -
                           model.store.block_begin(parameter.block);
      return {from, from + parameter.shape.size()};
    }
  }
  return {};
}

const Patterns some_frozen{"source.*",      "*.self.value.*",
                           "*.gate.weight", "decoder.layers.0.norm*",
                           "output.*",      "*.layers.1.cross.key.weight"};

// Trains each parameter alone: its gradient equals that of training all parameters.
TEST(FrozenParameters, leave_the_gradients_of_others_as_they_are) {
  const PartlyFrozen whole(frozen_model(), {});
  for (const NamedParameter& trained : whole.store.parameters()) {
    Patterns others;
    for (const NamedParameter& parameter : whole.store.parameters()) {
      if (parameter.name != trained.name) {
        others.push_back(parameter.name);
      }
    }
    const PartlyFrozen alone(frozen_model(), others);
    EXPECT_EQ(alone.store.trained_count(), trained.shape.size());
    const std::vector<double> expected = gradient_of(whole, trained.name);
    ASSERT_FALSE(expected.empty()) << trained.name;
    EXPECT_THAT(gradient_of(alone, trained.name), Pointwise(DoubleNear(1e-12), expected))
        << trained.name;
  }
}

TEST(FrozenParameters, have_no_gradient) {
  const PartlyFrozen model(frozen_model(), some_frozen);
  for (const std::string name : {"source.embedding", "encoder.layers.0.self.value.weight",
                                 "output.weight", "decoder.layers.1.cross.key.weight"}) {
    EXPECT_TRUE(gradient_of(model, name).empty()) << name;
  }
}

// Outside of training (such as in studies of heads) frozen parameters have gradients.
TEST(FrozenParameters, have_a_gradient_outside_of_training) {
  const PartlyFrozen model(frozen_model(), some_frozen);
  ParameterGradients gradients(model.store);
  Tape tape;
  Pass pass(tape, model.store, gradients);
  tape.backward(batch_loss(model.transformer, pass, copy_batch(1), {}).loss);
  for (Index block = 0; block < model.store.blocks(); ++block) {
    EXPECT_TRUE(gradients.written(block));
  }
}

struct FrozenRun {
  std::vector<Scalar> before;
  std::vector<Scalar> values;
  std::vector<double> norms;
  std::set<std::string> kept;  // parameters that have optimiser state
};

FrozenRun run_frozen(OptimizerKind optimizer, const Patterns& frozen, Ranks& ranks) {
  PartlyFrozen model(frozen_model(), frozen);
  Workers workers(1);
  Trainer::Options options;
  options.training.optimizer = optimizer;
  options.training.learning_rate = 0.01;
  options.training.weight_decay = 0.1;
  options.training.clip_norm = 0.1;
  options.training.shards = 3;
  Trainer trainer(model.store, {workers, ranks}, options);
  const auto all = [&] {
    const auto values = model.store.values().values();
    return std::vector<Scalar>(values.begin(), values.end());
  };
  FrozenRun run{.before = all(), .values = {}, .norms = {}, .kept = {}};
  for (std::uint64_t step = 0; step < 3; ++step) {
    run.norms.push_back(trainer
                            .step({copy_batch(step)},
                                  [&](Pass& pass, const Batch& batch) {
                                    return batch_loss(model.transformer, pass, batch, {});
                                  })
                            .gradient_norm);
  }
  run.values = all();
  for (const NamedParameter& parameter : model.store.parameters()) {
    for (const Optimizer::State& state : trainer.optimizer().states()) {
      if (state.belongs_to(parameter)) {
        run.kept.insert(parameter.name);
      }
    }
  }
  return run;
}

class FrozenSteps : public TestWithParam<OptimizerKind> {};

TEST_P(FrozenSteps, change_the_others_alone) {
  const FrozenRun run = run_frozen(GetParam(), some_frozen, alone());
  const PartlyFrozen model(frozen_model(), some_frozen);
  bool some = false;
  for (const NamedParameter& parameter : model.store.parameters()) {
    const auto begin = static_cast<std::ptrdiff_t>(parameter.offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(parameter.shape.size());
    const bool same = std::equal(run.before.begin() + begin, run.before.begin() + end,
                                 run.values.begin() + begin);
    EXPECT_EQ(same, parameter.frozen) << parameter.name;
    EXPECT_EQ(run.kept.contains(parameter.name), !parameter.frozen) << parameter.name;
    some = some || parameter.frozen;
  }
  EXPECT_TRUE(some);
}

TEST_P(FrozenSteps, are_the_same_by_several_ranks) {
  const FrozenRun expected = run_frozen(GetParam(), some_frozen, alone());
  for (const Index count : {2, 3, 4}) {
    std::vector<FrozenRun> runs(static_cast<std::size_t>(count));
    run_ranks(count, [&](Ranks& ranks) {
      runs[static_cast<std::size_t>(ranks.rank())] = run_frozen(GetParam(), some_frozen, ranks);
    });
    for (const FrozenRun& run : runs) {
      EXPECT_EQ(run.values, expected.values) << count << " ranks";
      EXPECT_EQ(run.norms, expected.norms) << count << " ranks";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, FrozenSteps,
                         Values(OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::muon));

// A step's gradient norm covers trained parameters only, so clipping ignores frozen ones.
TEST(FrozenNorm, is_that_of_the_trained_parameters) {
  const PartlyFrozen whole(frozen_model(), {});
  const Patterns rest{"source.*", "target.*", "encoder.*", "decoder.*"};
  PartlyFrozen model(frozen_model(), rest);
  Workers workers(1);
  Trainer::Options options;
  options.training.shards = 1;
  options.seed = 11;
  Trainer trainer(model.store, workers, options);
  const Batch batch = copy_batch(1);
  const StepStats stats = trainer.step({batch}, [&](Pass& pass, const Batch& part) {
    return batch_loss(model.transformer, pass, part, {});
  });
  ParameterGradients gradients(whole.store);
  Tape tape;
  Pass pass(tape, whole.store, gradients, 11, 1);
  tape.backward(batch_loss(whole.transformer, pass, batch, {}).loss);
  double squares = 0;
  for (const NamedParameter& parameter : whole.store.parameters()) {
    if (parameter.name.starts_with("output")) {
      const Scalar* from = gradients.data(parameter.block);
      squares += std::inner_product(from, from + parameter.shape.size(), from, 0.0);
    }
  }
  EXPECT_NEAR(stats.gradient_norm, std::sqrt(squares) / static_cast<double>(batch.labels.count()),
              1e-12);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
