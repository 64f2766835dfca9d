// Muon compared with its formulas in plain loops.
#include "train/step/optimizer_updates.hpp"

#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// A matrix in plain code.
struct PlainMatrix {
  Index rows;
  Index columns;
  std::vector<double> numbers;

  PlainMatrix(Index r, Index c)
      : rows(r), columns(c), numbers(static_cast<std::size_t>(r * c), 0) {}
  explicit PlainMatrix(const Tensor& tensor) : PlainMatrix(tensor.dim(0), tensor.dim(1)) {
    std::ranges::copy(tensor.values(), numbers.begin());
  }
  double& at(Index i, Index j) { return numbers[static_cast<std::size_t>(i * columns + j)]; }
  double at(Index i, Index j) const { return numbers[static_cast<std::size_t>(i * columns + j)]; }
};

PlainMatrix transposed(const PlainMatrix& x) {
  PlainMatrix result(x.columns, x.rows);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.columns; ++j) {
      result.at(j, i) = x.at(i, j);
    }
  }
  return result;
}

PlainMatrix times(const PlainMatrix& x, const PlainMatrix& y) {
  PlainMatrix result(x.rows, y.columns);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < y.columns; ++j) {
      for (Index k = 0; k < x.columns; ++k) {
        result.at(i, j) += x.at(i, k) * y.at(k, j);
      }
    }
  }
  return result;
}

PlainMatrix combined(double a, const PlainMatrix& x, double b, const PlainMatrix& y) {
  PlainMatrix result = x;
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    result.numbers[i] = a * x.numbers[i] + b * y.numbers[i];
  }
  return result;
}

// zeropower_via_newtonschulz5 of https://github.com/KellerJordan/Muon, line by line, in double.
// Transposes a matrix with more rows than columns.
PlainMatrix newton_schulz(PlainMatrix x) {
  if (x.rows > x.columns) {
    return transposed(newton_schulz(transposed(x)));
  }
  double squares = 0;
  for (const double number : x.numbers) {
    squares += number * number;
  }
  x = combined(1 / (std::sqrt(squares) + 1e-7), x, 0, x);
  for (int step = 0; step < 5; ++step) {
    const PlainMatrix A = times(x, transposed(x));
    const PlainMatrix B = combined(-4.7750, A, 2.0315, times(A, A));
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
    EXPECT_THAT(orthogonal_numbers(x),
                Pointwise(DoubleNear(1e-11), newton_schulz(PlainMatrix(x)).numbers))
        << shape.to_string();
  }
}

// The singular values of a diagonal matrix are its diagonal, and the result is diagonal too.
TEST(Muon, brings_singular_values_near_1) {
  constexpr std::array values{1.0, 0.5, 0.2, 0.1, 0.02, 0.01};
  constexpr auto size = static_cast<Index>(values.size());
  Tensor x = Tensor::zeros({size, size});
  for (Index i = 0; i < size; ++i) {
    x.row(i)[i] = values.at(static_cast<std::size_t>(i));
  }
  const std::vector<double> result = orthogonal_numbers(x);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      const double number = result[static_cast<std::size_t>(i * size + j)];
      if (i == j) {
        EXPECT_GT(number, 0.65);
        EXPECT_LT(number, 1.25);
      } else {
        EXPECT_EQ(number, 0);
      }
    }
  }
}

TEST(Muon, leaves_a_gradient_of_zeros_at_zero) {
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
    store_.initialize(1);
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

  ParameterStore store_;
  TrainingOptions options_;
};

TEST_F(MuonSteps, of_hidden_matrices_follow_the_formula) {
  struct Expected {
    PlainMatrix weight;
    PlainMatrix momentum;
  };
  std::map<std::string, Expected> expected;
  for (const NamedParameter& parameter : store_.parameters()) {
    if (parameter.kind == ParameterKind::matrix) {
      const PlainMatrix weight(store_.value(parameter));
      expected.insert({parameter.name, {weight, PlainMatrix(weight.rows, weight.columns)}});
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
      const PlainMatrix g(gradient(parameter, step));
      const double clip = 0.5 / norm;
      m = combined(0.9, m, 0.1 * clip, g);
      const PlainMatrix u = newton_schulz(combined(0.9, m, 0.1 * clip, g));
      const double rate = 0.03 * share;
      const double scale = parameter.name == "tall" ? std::sqrt(12.0 / 4.0) : 1;
      w = combined(1 - rate * 0.2, w, -rate * scale, u);
      EXPECT_THAT(store_.value(parameter).values(), Pointwise(DoubleNear(1e-12), w.numbers))
          << parameter.name << ", step " << step;
    }
  }
}

TEST_F(MuonSteps, of_other_parameters_are_those_of_adamw) {
  std::vector<Tensor> results;
  const Tensor before = store_.values().copy();
  for (const OptimizerKind kind : {OptimizerKind::muon, OptimizerKind::adamw}) {
    std::ranges::copy(before.values(), store_.values().values().begin());
    options_.optimizer = kind;
    Workers workers(1);
    Optimizer optimizer(store_, options_);
    for (Index step = 1; step <= 3; ++step) {
      ParameterGradients shard = gradients(step);
      optimizer.step(workers, {&shard}, 1, 0.01);
    }
    results.push_back(store_.values().copy());
  }
  for (const NamedParameter& parameter : store_.parameters()) {
    const Tensor muon_value = results[0].part(parameter.offset, parameter.shape);
    const Tensor other_value = results[1].part(parameter.offset, parameter.shape);
    const bool same = std::ranges::equal(muon_value.values(), other_value.values());
    EXPECT_EQ(same, parameter.kind != ParameterKind::matrix) << parameter.name;
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
  const std::vector<std::string> others{"output", "embedding", "gain", "bias"};
  EXPECT_EQ(owners.size(), 3U);
  EXPECT_EQ(owners["momentum"], matrices);
  EXPECT_EQ(owners["first_moment"], others);
  EXPECT_EQ(owners["second_moment"], others);
}

TEST_F(MuonSteps, do_not_depend_on_the_threads) {
  const Tensor before = store_.values().copy();
  std::vector<Tensor> results;
  for (const Index threads : {1, 2, 3, 8}) {
    std::ranges::copy(before.values(), store_.values().values().begin());
    Workers workers(threads);
    Optimizer optimizer(store_, options_);
    for (Index step = 1; step <= 3; ++step) {
      ParameterGradients shard = gradients(step);
      optimizer.step(workers, {&shard}, 1, 0.01);
    }
    results.push_back(store_.values().copy());
    EXPECT_THAT(results.back().values(), ElementsAreArray(results.front().values())) << threads;
  }
}

TEST_F(MuonSteps, can_have_a_rate_of_their_own) {
  const Parameter tall{.block = 1, .shape = {12, 4}};
  const Tensor before = store_.values().copy();
  Workers workers(1);
  Optimizer optimizer(store_, options_);
  optimizer.scale_rate(tall, 0);
  ParameterGradients shard = gradients(1);
  optimizer.step(workers, {&shard}, 1, 0.01);
  for (const NamedParameter& parameter : store_.parameters()) {
    const Tensor old_value = before.part(parameter.offset, parameter.shape);
    EXPECT_EQ(std::ranges::equal(store_.value(parameter).values(), old_value.values()),
              parameter.name == "tall")
        << parameter.name;
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
