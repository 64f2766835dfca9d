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

// The gradients of a batch: in a step of training with (seed, step), otherwise without.
template <class... Training>
ParameterGradients gradients_of(const PartlyFrozen& model, Training... training) {
  ParameterGradients gradients(model.store);
  Tape tape;
  Pass pass(tape, model.store, gradients, training...);
  tape.backward(batch_loss(model.transformer, pass, copy_batch(1), {}).loss);
  return gradients;
}

// A parameter's gradient; empty if none. A frozen one in a block with trained ones has a gradient.
std::vector<double> gradient_of(const PartlyFrozen& model, const std::string& name, Index step) {
  const ParameterGradients gradients = gradients_of(model, std::uint64_t{11}, step);
  const auto parameter = std::ranges::find(model.store.parameters(), name, &NamedParameter::name);
  if (!gradients.written(parameter->block)) {
    return {};
  }
  const Scalar* from = gradients.data(parameter->block) + parameter->offset -
                       model.store.block_begin(parameter->block);
  return {from, from + parameter->shape.size()};
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
    const std::vector<double> expected = gradient_of(whole, trained.name, 3);
    ASSERT_FALSE(expected.empty()) << trained.name;
    EXPECT_THAT(gradient_of(alone, trained.name, 3), Pointwise(DoubleNear(1e-12), expected))
        << trained.name;
  }
}

// Outside of training (such as in studies of heads) frozen parameters have gradients.
TEST(FrozenParameters, have_no_gradient_in_training) {
  const PartlyFrozen model(frozen_model(), some_frozen);
  for (const std::string name : {"source.embedding", "encoder.layers.0.self.value.weight",
                                 "output.weight", "decoder.layers.1.cross.key.weight"}) {
    EXPECT_TRUE(gradient_of(model, name, 3).empty()) << name;
  }
  const ParameterGradients outside = gradients_of(model);
  for (Index block = 0; block < model.store.blocks(); ++block) {
    EXPECT_TRUE(outside.written(block));
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
  const LossFunction loss = [&](Pass& pass, const Batch& batch) {
    return batch_loss(model.transformer, pass, batch, {});
  };
  const auto values = model.store.values().values();
  FrozenRun run{.before = {values.begin(), values.end()}, .values = {}, .norms = {}, .kept = {}};
  for (std::uint64_t step = 0; step < 3; ++step) {
    run.norms.push_back(trainer.step({copy_batch(step)}, loss).gradient_norm);
  }
  run.values = {values.begin(), values.end()};
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

INSTANTIATE_TEST_SUITE_P(Optimizers, FrozenSteps,
                         Values(OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::muon));

TEST_P(FrozenSteps, change_the_others_alone_by_any_ranks) {
  const FrozenRun expected = run_frozen(GetParam(), some_frozen, alone());
  const PartlyFrozen model(frozen_model(), some_frozen);
  EXPECT_TRUE(std::ranges::any_of(model.store.parameters(), &NamedParameter::frozen));
  for (const NamedParameter& parameter : model.store.parameters()) {
    const bool same =
        std::equal(expected.before.begin() + parameter.offset,
                   expected.before.begin() + parameter.offset + parameter.shape.size(),
                   expected.values.begin() + parameter.offset);
    EXPECT_EQ(same, parameter.frozen) << parameter.name;
    EXPECT_EQ(expected.kept.contains(parameter.name), !parameter.frozen) << parameter.name;
  }
  for (const Index count : {2, 3, 4}) {
    run_ranks(count, [&](Ranks& ranks) {
      const FrozenRun run = run_frozen(GetParam(), some_frozen, ranks);
      EXPECT_EQ(run.values, expected.values) << count << " ranks";
      EXPECT_EQ(run.norms, expected.norms) << count << " ranks";
    });
  }
}

// A step's gradient norm covers trained parameters only, so clipping ignores frozen ones.
TEST(FrozenNorm, is_that_of_the_trained_parameters) {
  PartlyFrozen model(frozen_model(), {"source.*", "target.*", "encoder.*", "decoder.*"});
  Workers workers(1);
  Trainer::Options options;
  options.training.shards = 1;
  options.seed = 11;
  Trainer trainer(model.store, workers, options);
  const Batch batch = copy_batch(1);
  const StepStats stats = trainer.step({batch}, [&](Pass& pass, const Batch& part) {
    return batch_loss(model.transformer, pass, part, {});
  });
  const std::vector<double> gradient =
      gradient_of(PartlyFrozen(frozen_model(), {}), "output.weight", 1);
  EXPECT_EQ(model.store.trained_count(), std::ssize(gradient));
  const double squares =
      std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0);
  EXPECT_NEAR(stats.gradient_norm, std::sqrt(squares) / static_cast<double>(batch.labels.count()),
              1e-12);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
