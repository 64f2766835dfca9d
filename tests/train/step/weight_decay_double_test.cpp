// Weight decay by kind of parameter, against hand computations.
#include "core/tape/parameters.hpp"
#include "tests/support/testing.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double decay = 0.3;
constexpr double rate = 0.1;

const std::map<std::string, ParameterKind> all_kinds{
    {"matrix", ParameterKind::matrix},       {"output", ParameterKind::output},
    {"embedding", ParameterKind::embedding}, {"gain", ParameterKind::gain},
    {"bias", ParameterKind::bias},           {"gate", ParameterKind::gate},
    {"other", ParameterKind::other}};

// The value of a parameter of each kind after one step with gradient 0, starting at 2.
std::map<std::string, double> after_a_step(OptimizerKind optimizer, TrainingOptions options) {
  options.optimizer = optimizer;
  options.weight_decay = decay;
  options.muon_rate = 5 * options.learning_rate;
  ParameterStore store;
  for (const auto& [name, kind] : all_kinds) {
    const bool flat = kind == ParameterKind::gain || kind == ParameterKind::bias;
    store.root().create(name, kind, flat ? Shape{3} : Shape{2, 3}, Initializer::constant(2));
  }
  store.initialize(1);
  ParameterGradients none(store);
  Workers workers(1);
  Optimizer(store, options).step(workers, {&none}, 1, rate);
  std::map<std::string, double> numbers;
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor value = store.value(parameter);
    numbers[parameter.name] = value.data()[0];
    EXPECT_THAT(value.values(), Each(DoubleNear(value.data()[0], 1e-15)));
  }
  return numbers;
}

// The value 2 after one step. sgd: w - rate decay w. adam: decay is part of the gradient, and the
// first step equals the rate. adamw: (1 - rate decay) w. muon: five times the rate for matrices.
double decayed(OptimizerKind optimizer, const std::string& kind) {
  if (optimizer == OptimizerKind::adam) {
    return 2 - rate;
  }
  const double own_rate = optimizer == OptimizerKind::muon && kind == "matrix" ? 5 * rate : rate;
  return 2 - own_rate * decay * 2;
}

void expect_spared(const TrainingOptions& options, const std::string& spared) {
  for (const OptimizerKind optimizer :
       {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::muon}) {
    for (const auto& [kind, number] : after_a_step(optimizer, options)) {
      const double expected = kind == spared ? 2 : decayed(optimizer, kind);
      EXPECT_NEAR(number, expected, 1e-8) << traits_of(optimizer).name << ", " << kind;
    }
  }
}

TEST(WeightDecay, acts_on_all_kinds_by_default) { expect_spared({}, "none"); }

TEST(WeightDecay, can_spare_gains) { expect_spared({.decay_gains = false}, "gain"); }

TEST(WeightDecay, can_spare_biases) { expect_spared({.decay_biases = false}, "bias"); }

TEST(WeightDecay, can_spare_embeddings) { expect_spared({.decay_embeddings = false}, "embedding"); }

}}}  // namespace tapehead::TAPEHEAD_PRECISION
