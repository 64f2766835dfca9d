// Mistakes in the backward passes of softmax and the norms.
#pragma once

#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/row_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What a row adds to its gradient: Σ y dy for softmax, Σ dy for log_softmax.
using RowSum = std::function<Scalar(const Tensor& y, const Tensor& dy, Index row)>;

// dx = slope(y, dy, sum) element by element, with the sum of the element's row.
inline Spoil from_rows(const std::function<Scalar(Scalar y, Scalar dy, Scalar sum)>& slope,
                       const RowSum& sum_of) {
  return [slope, sum_of](BackwardPass& pass) {
    const Tensor y = value_of(pass.function, pass.inputs);
    for (Index i = 0; i < y.size(); ++i) {
      const Scalar sum = sum_of(y, pass.dy, i / y.dim(1));
      pass.gradients[0].data()[i] = slope(y.data()[i], pass.dy.data()[i], sum);
    }
  };
}

inline std::vector<Mistake> softmax_mistakes() {
  using enum WrongKind;
  const RowSum nothing = [](const Tensor&, const Tensor&, Index) { return 0; };
  const RowSum of_dy = [](const Tensor&, const Tensor& dy, Index row) {
    return std::accumulate(dy.row(row), dy.row(row + 1), Scalar{0});
  };
  const RowSum mean_of_y_dy = [](const Tensor& y, const Tensor& dy, Index row) {
    return std::inner_product(y.row(row), y.row(row + 1), dy.row(row), Scalar{0}) /
           static_cast<Scalar>(y.dim(1));
  };
  const RowSum of_all_rows = [](const Tensor& y, const Tensor& dy, Index) {
    return std::inner_product(y.values().begin(), y.values().end(), dy.data(), Scalar{0});
  };
  const auto less = [](Scalar y, Scalar dy, Scalar sum) { return y * (dy - sum); };
  const auto diagonal = [](Scalar y, Scalar dy, Scalar) { return y * (1 - y) * dy; };
  const auto log_with_y = [](Scalar y, Scalar dy, Scalar sum) { return dy - y * sum; };
  const auto log_without = [](Scalar, Scalar dy, Scalar) { return dy; };
  const Spoil as_softmax = as_of([](const Vars& x) { return softmax(x[0]); });
  return {
      {"softmax", {0}, "Σ y dy left out", {term}, from_rows(less, nothing)},
      {"softmax", {0}, "Σ dy for Σ y dy", {term}, from_rows(less, of_dy)},
      {"softmax", {0}, "the mean of y dy for its sum", {term}, from_rows(less, mean_of_y_dy)},
      {"softmax", {0}, "Σ y dy over all rows", {term}, from_rows(less, of_all_rows)},
      {"softmax", {0}, "y (1 - y) dy: the diagonal alone", {term}, from_rows(diagonal, nothing)},
      {"log_softmax", {0}, "exp(y) Σ dy left out", {term}, from_rows(log_without, nothing)},
      {"log_softmax", {0}, "y for exp(y)", {term}, from_rows(log_with_y, of_dy)},
      {"log_softmax", {0}, "as for softmax", {term}, as_softmax},
  };
}

// Each row's mean, repeated in every column.
inline Var row_means(const Var& x) {
  const Index D = x.shape()[1];
  return matmul(x, x.tape().constant(Tensor::full({D, D}, 1 / static_cast<Scalar>(D))));
}

inline Var centred(const Var& x) { return subtract(x, row_means(x)); }

// 1 / √(mean(c²) + 1e-5) = exp(-ln(mean(c²) + 1e-5) / 2), repeated in every column.
inline Var inverse_deviation(const Var& c) {
  const Var epsilon = c.tape().constant(Tensor::full(c.shape(), 1e-5));
  return exp(scale(log(add(row_means(multiply(c, c)), epsilon)), -0.5));
}

inline Var ones_for(const Var& gain) { return gain.tape().constant(Tensor::full(gain.shape(), 1)); }

inline std::vector<Mistake> norm_mistakes() {
  using enum WrongKind;
  const Spoil without_mean = as_of([](const Vars& x) {
    const Var c = subtract(x[0], detached(row_means(x[0])));
    return multiply(multiply(c, inverse_deviation(c)), x[1]);
  });
  const Spoil without_variance = as_of([](const Vars& x) {
    const Var c = centred(x[0]);
    return multiply(multiply(c, detached(inverse_deviation(c))), x[1]);
  });
  const Spoil without_both = as_of([](const Vars& x) {
    return multiply(multiply(x[0], detached(inverse_deviation(centred(x[0])))), x[1]);
  });
  const Spoil without_gain =
      as_of([](const Vars& x) { return layer_norm(x[0], ones_for(x[1]), x[2]); });
  const Spoil times_deviation = as_of([](const Vars& x) {
    const Var deviation = exp(scale(log(inverse_deviation(centred(x[0]))), -1));
    return multiply(layer_norm(x[0], x[1], x[2]), detached(deviation));
  });
  const Spoil of_epsilon = as_of([](const Vars& x) { return layer_norm(x[0], x[1], x[2], 1e-3); });
  const Spoil as_product = as_of([](const Vars& x) { return multiply(x[0], x[1]); });
  const Spoil bias_with_gain =
      as_of([](const Vars& x) { return add(x[0], multiply(x[2], detached(x[1]))); });
  const Spoil without_root = as_of([](const Vars& x) {
    return multiply(multiply(x[0], detached(inverse_deviation(x[0]))), x[1]);
  });
  const Spoil rms_without_gain =
      as_of([](const Vars& x) { return rms_norm(x[0], ones_for(x[1])); });
  const Spoil rms_centred = as_of([](const Vars& x) { return rms_norm(centred(x[0]), x[1]); });
  return {
      {"layer_norm", {0}, "the mean's term left out", {term}, without_mean},
      {"layer_norm", {0}, "the variance's term left out", {term}, without_variance},
      {"layer_norm", {0}, "both terms left out", {term}, without_both},
      {"layer_norm", {0}, "the gain left out", {term}, without_gain},
      {"layer_norm", {0}, "1 / σ left out", {term}, times_deviation},
      {"layer_norm", {0}, "ε = 1e-3 for 1e-5", {term}, of_epsilon},
      {"layer_norm", {1}, "x for x̂", {term}, as_product},
      {"layer_norm", {2}, "with the gain", {term}, bias_with_gain},
      {"rms_norm", {0}, "the root's term left out", {term}, without_root},
      {"rms_norm", {0}, "the gain left out", {term}, rms_without_gain},
      {"rms_norm", {0}, "a mean taken off, as in layer_norm", {term}, rms_centred},
      {"rms_norm", {1}, "x for x̂", {term}, as_product},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
