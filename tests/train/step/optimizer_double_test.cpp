// Three steps of each optimiser compared with its formula in scalar code.
#include "train/step/optimizer.hpp"

#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

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

  // Compares three optimiser steps with `formula(weight, gradient, step)` for each number.
  template <class Formula>
  void expect_formula(const TrainingOptions& options, Formula formula) {
    Optimizer optimizer(store_, options);
    std::vector<double> expected = weights();
    for (Index step = 1; step <= 3; ++step) {
      const auto gradients = shard(static_cast<std::uint64_t>(10 * step));
      const std::vector<double> gradient = numbers(*gradients);
      optimizer.step(workers_, {gradients.get()}, 0.5, 0.01 * static_cast<double>(step));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        formula(i, expected[i], 0.5 * gradient[i], static_cast<double>(step));
      }
      EXPECT_THAT(weights(), Pointwise(DoubleNear(1e-13), expected));
    }
    EXPECT_EQ(optimizer.steps(), 3);
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

// Sutskever et al. 2013 in PyTorch's form.
TEST_F(OptimizerSteps, of_sgd) {
  std::vector<double> velocity(weights().size(), 0);
  expect_formula(options(OptimizerKind::sgd, 0.3),
                 [&](std::size_t i, double& w, double g, double step) {
                   velocity[i] = 0.9 * velocity[i] + (g + 0.3 * w);
                   w -= 0.01 * step * velocity[i];
                 });
}

// Kingma and Ba 2015, algorithm 1; if decoupled, Loshchilov and Hutter 2019, algorithm 2.
struct AdamFormula {
  explicit AdamFormula(std::size_t size, bool is_decoupled)
      : m(size, 0), v(size, 0), decoupled(is_decoupled) {}

  void operator()(std::size_t i, double& w, double g, double step) {
    const double rate = 0.01 * step;
    const double decayed = decoupled ? g : g + 0.3 * w;
    m[i] = 0.9 * m[i] + 0.1 * decayed;
    v[i] = 0.98 * v[i] + 0.02 * decayed * decayed;
    const double m_hat = m[i] / (1 - std::pow(0.9, step));
    const double v_hat = v[i] / (1 - std::pow(0.98, step));
    w -= (decoupled ? rate * 0.3 * w : 0) + rate * m_hat / (std::sqrt(v_hat) + 1e-9);
  }

  std::vector<double> m;
  std::vector<double> v;
  bool decoupled;
};

TEST_F(OptimizerSteps, of_adam) {
  expect_formula(options(OptimizerKind::adam, 0.3), AdamFormula(weights().size(), false));
}

TEST_F(OptimizerSteps, of_adam_w) {
  expect_formula(options(OptimizerKind::adamw, 0.3), AdamFormula(weights().size(), true));
}

// Clipping uses the norm of the whole gradient, and scales a larger gradient down to the limit.
TEST_F(OptimizerSteps, clip_the_whole_gradient) {
  TrainingOptions clipping = options(OptimizerKind::sgd, 0);
  clipping.clip_norm = 2;
  clipping.momentum = 0;
  for (const double magnitude : {1.0, 1e-3}) {
    Optimizer optimizer(store_, clipping);
    const auto gradients = shard(1, magnitude);
    const std::vector<double> gradient = numbers(*gradients);
    double squares = 0;
    for (const double g : gradient) {
      squares += g * g;
    }
    const double norm = std::sqrt(squares);
    const double factor = magnitude == 1 ? 2 / norm : 1;
    EXPECT_EQ(norm > 2, magnitude == 1);
    std::vector<double> expected = weights();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] -= 0.1 * factor * gradient[i];
    }
    EXPECT_NEAR(optimizer.step(workers_, {gradients.get()}, 1, 0.1), norm, 1e-10);
    EXPECT_THAT(weights(), Pointwise(DoubleNear(1e-13), expected));
  }
}

// A block that a shard did not write counts as 0, whatever its memory holds.
TEST_F(OptimizerSteps, sum_the_shards_that_wrote) {
  TrainingOptions plain = options(OptimizerKind::sgd, 0);
  plain.momentum = 0;
  Optimizer optimizer(store_, plain);
  const auto one = shard(1);
  const auto two = shard(2);
  const auto none = shard(3);
  none->forget();
  *two->slot(1).written = false;
  const std::vector<double> first = numbers(*one);
  const std::vector<double> second = numbers(*two);
  std::vector<double> expected = weights();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool in_vector = i >= 21 && i < 26;
    expected[i] -= 0.1 * (first[i] + (in_vector ? 0 : second[i]));
  }
  optimizer.step(workers_, {none.get(), one.get(), two.get()}, 1, 0.1);
  EXPECT_THAT(weights(), Pointwise(DoubleNear(1e-13), expected));
}

// Momentum still changes a block that no shard wrote.
TEST_F(OptimizerSteps, take_a_block_that_no_shard_wrote_for_zeros) {
  Optimizer optimizer(store_, options(OptimizerKind::sgd, 0));
  optimizer.step(workers_, {shard(1).get()}, 1, 0);
  const auto one = shard(2);
  const auto two = shard(3);
  *one->slot(1).written = false;
  *two->slot(1).written = false;
  const std::vector<double> velocity = numbers(*shard(1));
  const std::vector<double> first = numbers(*one);
  const std::vector<double> second = numbers(*two);
  std::vector<double> expected = weights();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool in_vector = i >= 21 && i < 26;
    expected[i] -= 0.1 * (0.9 * velocity[i] + (in_vector ? 0 : first[i] + second[i]));
  }
  optimizer.step(workers_, {one.get(), two.get()}, 1, 0.1);
  EXPECT_THAT(weights(), Pointwise(DoubleNear(1e-13), expected));
}

// Bit-identical: threads share chunks but never cut them differently.
TEST_F(OptimizerSteps, do_not_depend_on_the_threads) {
  const auto gradients = shard(1);
  const Tensor before = store_.values().copy();
  std::vector<std::vector<double>> results;
  for (const Index threads : {1, 2, 3}) {
    std::ranges::copy(before.values(), store_.values().values().begin());
    Workers workers(threads);
    Optimizer optimizer(store_, options(OptimizerKind::adam, 0));
    optimizer.step(workers, {gradients.get()}, 1, 0.1);
    results.push_back(weights());
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
