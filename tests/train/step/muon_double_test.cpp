// Muon compared with its formulas in plain loops.
#include "train/step/optimizer_updates.hpp"

#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Tensor transposed(const Tensor& x) {
  Tensor result = Tensor::empty({x.dim(1), x.dim(0)});
  for (Index i = 0; i < x.dim(0); ++i) {
    for (Index j = 0; j < x.dim(1); ++j) {
      result.row(j)[i] = x.row(i)[j];
    }
  }
  return result;
}

Tensor times(const Tensor& x, const Tensor& y) {
  Tensor result = Tensor::zeros({x.dim(0), y.dim(1)});
  for (Index i = 0; i < x.dim(0); ++i) {
    for (Index j = 0; j < y.dim(1); ++j) {
      for (Index k = 0; k < x.dim(1); ++k) {
        result.row(i)[j] += x.row(i)[k] * y.row(k)[j];
      }
    }
  }
  return result;
}

Tensor combined(double a, const Tensor& x, double b, const Tensor& y) {
  Tensor result = Tensor::empty(x.shape());
  std::ranges::transform(x.values(), y.values(), result.data(),
                         [&](double p, double q) { return a * p + b * q; });
  return result;
}

// zeropower_via_newtonschulz5 of https://github.com/KellerJordan/Muon, line by line, in double.
// Transposes a matrix with more rows than columns.
Tensor newton_schulz(Tensor x) {
  if (x.dim(0) > x.dim(1)) {
    return transposed(newton_schulz(transposed(x)));
  }
  const std::span<const Scalar> numbers = x.values();
  const double norm =
      std::sqrt(std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0));
  x = combined(1 / (norm + 1e-7), x, 0, x);
  for (int step = 0; step < 5; ++step) {
    const Tensor A = times(x, transposed(x));
    const Tensor B = combined(-4.7750, A, 2.0315, times(A, A));
    x = combined(3.4445, x, 1, times(B, x));
  }
  return x;
}

std::vector<double> orthogonal_numbers(const Tensor& from) {
  const Index rows = from.dim(0);
  const Index columns = from.dim(1);
  Tensor x = from.copy();
  Tensor scratch = Tensor::empty({muon_scratch(rows, columns)});
  const Scalar* result = orthogonal(rows, columns, x.data(), scratch.data());
  return {result, result + rows * columns};
}

TEST(Muon, makes_matrices_orthogonal_as_its_authors_do) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{9, 1}, Shape{5, 7}, Shape{7, 5},
                             Shape{16, 16}, Shape{67, 90}, Shape{90, 67}}) {
    const Tensor x = random_tensor(shape, 3, -2, 2);
    const Tensor expected = newton_schulz(x);
    EXPECT_THAT(orthogonal_numbers(x), Pointwise(DoubleNear(1e-11), expected.values()))
        << shape.to_string();
  }
  EXPECT_THAT(orthogonal_numbers(Tensor::zeros({3, 4})), Each(0));
}

// Stacked wide matrices, a tall matrix, and parameters that are not hidden matrices.
class MuonSteps : public Test {
 protected:
  MuonSteps() {
    const Scope root = store_.root();
    const Initializer any = Initializer::uniform(1);
    root.create_stacked({"query", "key", "value"}, ParameterKind::matrix, {5, 7}, any);
    root.create("tall", ParameterKind::matrix, {12, 4}, any);
    root.create("output", ParameterKind::output, {6, 5}, any);
    root.create("embedding", ParameterKind::embedding, {5, 6}, any);
    root.create("gain", ParameterKind::gain, {5}, any);
    root.create("bias", ParameterKind::bias, {5}, any);
    root.create("gate", ParameterKind::gate, {5}, any);
    store_.initialize(1);
    initial_ = store_.values().copy();
    options_.optimizer = OptimizerKind::muon;
    options_.learning_rate = 0.01;
    options_.muon_rate = 0.03;
    options_.muon_momentum = 0.9;
    options_.weight_decay = 0.2;
    options_.clip_norm = 0.5;
  }

  ParameterGradients gradients(Index step) const {
    ParameterGradients result(store_);
    for (const NamedParameter& parameter : store_.parameters()) {
      const GradientSlot slot = result.slot(parameter.block);
      Tensor memory =
          slot.memory.part(parameter.offset - store_.block_begin(parameter.block), parameter.shape);
      const Tensor numbers = gradient(parameter, step);
      std::ranges::copy(numbers.values(), memory.values().begin());
      *slot.written = true;
    }
    return result;
  }
  static Tensor gradient(const NamedParameter& parameter, Index step) {
    return random_tensor(parameter.shape,
                         digest(parameter.name) + static_cast<std::uint64_t>(step));
  }

  // The weights after three steps from the beginning.
  Tensor after_three_steps(double rate = 0.01) {
    std::ranges::copy(initial_.values(), store_.values().values().begin());
    Workers workers(1);
    Optimizer optimizer(store_, options_);
    for (Index step = 1; step <= 3; ++step) {
      ParameterGradients shard = gradients(step);
      optimizer.step(workers, {&shard}, 1, rate);
    }
    return store_.values().copy();
  }
  static bool same(const NamedParameter& parameter, const Tensor& one, const Tensor& other) {
    return std::ranges::equal(one.part(parameter.offset, parameter.shape).values(),
                              other.part(parameter.offset, parameter.shape).values());
  }

  ParameterStore store_;
  Tensor initial_;
  TrainingOptions options_;
};

TEST_F(MuonSteps, of_hidden_matrices_follow_the_formula) {
  std::map<std::string, std::pair<Tensor, Tensor>> expected;  // weight and momentum
  for (const NamedParameter& parameter : store_.parameters()) {
    if (parameter.kind == ParameterKind::matrix) {
      expected[parameter.name] = {store_.value(parameter).copy(), Tensor::zeros(parameter.shape)};
    }
  }
  ASSERT_EQ(expected.size(), 4U);
  Workers workers(2);
  Optimizer optimizer(store_, options_);
  for (Index step = 1; step <= 3; ++step) {
    ParameterGradients shard = gradients(step);
    const double share = 1 / static_cast<double>(step);  // from the schedule
    const double norm = optimizer.step(workers, {&shard}, 1, 0.01 * share);
    ASSERT_GT(norm, 0.5);
    for (const NamedParameter& parameter : store_.parameters()) {
      if (parameter.kind != ParameterKind::matrix) {
        continue;
      }
      auto& [w, m] = expected.at(parameter.name);
      const Tensor g = gradient(parameter, step);
      const double share_of_gradient = 0.1 * 0.5 / norm;
      m = combined(0.9, m, share_of_gradient, g);
      const Tensor u = newton_schulz(combined(0.9, m, share_of_gradient, g));
      const double rate = 0.03 * share;
      const double scale = parameter.name == "tall" ? std::sqrt(12.0 / 4.0) : 1;
      w = combined(1 - rate * 0.2, w, -rate * scale, u);
      EXPECT_THAT(store_.value(parameter).values(), Pointwise(DoubleNear(1e-12), w.values()))
          << parameter.name << ", step " << step;
    }
  }
}

TEST_F(MuonSteps, of_other_parameters_are_those_of_adamw) {
  const Tensor muon = after_three_steps();
  options_.optimizer = OptimizerKind::adamw;
  const Tensor adamw = after_three_steps();
  for (const NamedParameter& parameter : store_.parameters()) {
    EXPECT_EQ(same(parameter, muon, adamw), parameter.kind != ParameterKind::matrix)
        << parameter.name;
  }
}

TEST_F(MuonSteps, keep_one_number_for_hidden_matrices_and_two_for_others) {
  const Optimizer optimizer(store_, options_);
  std::map<std::string, std::vector<std::string>> owners;
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store_.parameters()) {
      if (state.belongs_to(parameter)) {
        owners[state.name].push_back(parameter.name);
      }
    }
  }
  const std::vector<std::string> matrices{"query", "key", "value", "tall"};
  const std::vector<std::string> others{"output", "embedding", "gain", "bias", "gate"};
  EXPECT_EQ(owners.size(), 3U);
  EXPECT_EQ(owners["momentum"], matrices);
  EXPECT_EQ(owners["first_moment"], others);
  EXPECT_EQ(owners["second_moment"], others);
}

// A gate learns with gate_rate times the learning rate. Nothing else does.
TEST_F(MuonSteps, of_gates_have_a_rate_of_their_own) {
  options_.gate_rate = 1;
  const Tensor usual = after_three_steps();
  const Tensor faster = after_three_steps(0.04);
  options_.gate_rate = 4;
  const Tensor own = after_three_steps();
  for (const NamedParameter& parameter : store_.parameters()) {
    const bool gate = parameter.kind == ParameterKind::gate;
    EXPECT_EQ(same(parameter, own, faster), gate) << parameter.name;
    EXPECT_EQ(same(parameter, own, usual), !gate) << parameter.name;
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
