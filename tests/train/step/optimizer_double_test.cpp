// Steps of the optimisers compared with their formulas in scalar code; weight decay by kind of
// parameter.
#include "core/tape/parameters.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// A matrix whose rows are no multiple of a vector, a vector, and a block with several chunks.
class OptimizerSteps : public Test {
 protected:
  OptimizerSteps() {
    store_.root().create("matrix", ParameterKind::matrix, {3, 7}, Initializer::uniform(1));
    store_.root().create("vector", ParameterKind::bias, {5}, Initializer::uniform(1));
    store_.root().create("large", ParameterKind::embedding, {150, 120}, Initializer::uniform(1));
    store_.initialize(1);
  }

  // The gradient of one shard: every block is written with random numbers.
  std::unique_ptr<ParameterGradients> shard(std::uint64_t seed, double magnitude = 1) const {
    auto gradients = std::make_unique<ParameterGradients>(store_);
    for (const NamedParameter& parameter : store_.parameters()) {
      const GradientSlot slot = gradients->slot(parameter.block);
      Tensor memory = slot.memory;
      const Tensor numbers =
          random_tensor(parameter.shape, seed + digest(parameter.name), -magnitude, magnitude);
      std::ranges::copy(numbers.values(), memory.values().begin());
      *slot.written = true;
    }
    return gradients;
  }

  // The numbers of all parameters, one after another.
  std::vector<double> weights() const {
    std::vector<double> result;
    for (const NamedParameter& parameter : store_.parameters()) {
      const Tensor value = store_.value(parameter);
      result.insert(result.end(), value.values().begin(), value.values().end());
    }
    return result;
  }

  std::vector<double> numbers(const ParameterGradients& gradients) const {
    std::vector<double> result;
    for (Index block = 0; block < store_.blocks(); ++block) {
      const Scalar* data = gradients.data(block);
      result.insert(result.end(), data, data + store_.block_size(block));
    }
    return result;
  }

  ParameterStore store_;
  Workers workers_{1};
};

TrainingOptions options(OptimizerKind kind, double weight_decay) {
  TrainingOptions result;
  result.optimizer = kind;
  result.weight_decay = weight_decay;
  result.clip_norm = 0;
  return result;
}

// Kingma and Ba 2015, algorithm 1; if decoupled, Loshchilov and Hutter 2019, algorithm 2. (The
// small parameters of the comparison with PyTorch have one chunk.) Clipping uses the norm of the
// whole gradient, and scales a larger gradient down to the limit.
TEST_F(OptimizerSteps, of_adam_follow_the_formula_and_clip_the_whole_gradient) {
  for (const bool decoupled : {false, true}) {
    TrainingOptions clipping = options(decoupled ? OptimizerKind::adamw : OptimizerKind::adam, 0.3);
    clipping.clip_norm = 2;
    Optimizer optimizer(store_, clipping);
    std::vector<double> w = weights();
    std::vector<double> m(w.size(), 0);
    std::vector<double> v(w.size(), 0);
    for (Index step = 1; step <= 3; ++step) {
      const double magnitude = step < 3 ? 1 : 1e-3;
      const auto gradients = shard(static_cast<std::uint64_t>(10 * step), magnitude);
      const std::vector<double> gradient = numbers(*gradients);
      const double norm = 0.5 * std::sqrt(std::inner_product(gradient.begin(), gradient.end(),
                                                             gradient.begin(), 0.0));
      EXPECT_EQ(norm > 2, step < 3);
      const double factor = norm > 2 ? 0.5 * 2 / norm : 0.5;
      const auto t = static_cast<double>(step);
      const double rate = 0.01 * t;
      EXPECT_NEAR(optimizer.step(workers_, {gradients.get()}, 0.5, rate), norm, 1e-10);
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double g = factor * gradient[i] + (decoupled ? 0 : 0.3 * w[i]);
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.98 * v[i] + 0.02 * g * g;
        const double m_hat = m[i] / (1 - std::pow(0.9, t));
        const double v_hat = v[i] / (1 - std::pow(0.98, t));
        w[i] -= (decoupled ? rate * 0.3 * w[i] : 0) + rate * m_hat / (std::sqrt(v_hat) + 1e-9);
      }
      EXPECT_THAT(weights(), Pointwise(DoubleNear(1e-13), w));
    }
    EXPECT_EQ(optimizer.steps(), 3);
  }
}

// A block that a shard did not write counts as 0, whatever its memory holds. Momentum still changes
// a block that no shard wrote.
TEST_F(OptimizerSteps, sum_the_shards_that_wrote) {
  Optimizer optimizer(store_, options(OptimizerKind::sgd, 0));
  std::vector<double> expected = weights();
  std::vector<double> velocity(expected.size(), 0);
  for (const std::uint64_t writers : {2, 1, 0}) {  // shards that write the vector
    const auto none = shard(3);
    const auto one = shard(10 + writers);
    const auto two = shard(20 + writers);
    none->forget();
    *one->slot(1).written = writers > 0;
    *two->slot(1).written = writers > 1;
    const std::vector<double> first = numbers(*one);
    const std::vector<double> second = numbers(*two);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool in_vector = i >= 21 && i < 26;
      const double gradient =
          (in_vector && writers < 1 ? 0 : first[i]) + (in_vector && writers < 2 ? 0 : second[i]);
      velocity[i] = 0.9 * velocity[i] + gradient;
      expected[i] -= 0.1 * velocity[i];
    }
    optimizer.step(workers_, {none.get(), one.get(), two.get()}, 1, 0.1);
    EXPECT_THAT(weights(), Pointwise(DoubleNear(1e-13), expected)) << writers;
  }
}

TEST_F(OptimizerSteps, refuse_gradients_that_are_not_finite) {
  Optimizer optimizer(store_, options(OptimizerKind::adam, 0));
  const std::vector<double> before = weights();
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto gradients = shard(1);
    Tensor memory = gradients->slot(1).memory;
    memory.data()[3] = bad;
    EXPECT_THAT([&] { optimizer.step(workers_, {gradients.get()}, 1, 0.1); },
                ThrowsMessage<NumericError>(
                    AllOf(HasSubstr("gradient of vector (5)"), HasSubstr("element 3"))));
  }
  EXPECT_THAT(weights(), ElementsAreArray(before));
  EXPECT_EQ(optimizer.steps(), 0);
  const auto huge = shard(1, 1e200);
  EXPECT_THAT([&] { optimizer.step(workers_, {huge.get()}, 1, 0.1); },
              ThrowsMessage<NumericError>(HasSubstr("too large")));
  EXPECT_THAT(weights(), ElementsAreArray(before));
}

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
  options.gate_rate = 1;
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

TEST(WeightDecay, acts_on_all_kinds_that_are_not_spared) {
  for (const auto& [options, spared] : std::vector<std::pair<TrainingOptions, std::string>>{
           {{}, "none"},
           {{.decay_gains = false}, "gain"},
           {{.decay_biases = false}, "bias"},
           {{.decay_embeddings = false}, "embedding"}}) {
    for (const OptimizerKind optimizer :
         {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::muon}) {
      for (const auto& [kind, number] : after_a_step(optimizer, options)) {
        EXPECT_NEAR(number, kind == spared ? 2 : decayed(optimizer, kind), 1e-8)
            << traits_of(optimizer).name << ", " << kind << ", spared " << spared;
      }
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
