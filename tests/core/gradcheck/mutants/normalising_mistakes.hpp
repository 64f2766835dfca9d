// Mistakes in the backward passes of softmax and the norms.
#pragma once

#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/row_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y ∘ (dy - subtrahend(y, dy)) row by row; the correct subtrahend is Σ y dy.
inline Spoil softmax_gradient(
    const std::function<Scalar(const Tensor& y, const Tensor& dy, Index row)>& subtrahend) {
  return [subtrahend](BackwardPass& pass) {
    const Tensor y = value_of(pass.function, pass.inputs);
    for (Index i = 0; i < y.size(); ++i) {
      const Scalar less = subtrahend(y, pass.dy, i / y.dim(1));
      pass.gradients[0].data()[i] = y.data()[i] * (pass.dy.data()[i] - less);
    }
  };
}

inline Scalar product_of_row(const Tensor& y, const Tensor& dy, Index row) {
  return std::inner_product(y.row(row), y.row(row) + y.dim(1), dy.row(row), Scalar{0});
}

inline Scalar sum_of_row(const Tensor&, const Tensor& dy, Index row) {
  return std::accumulate(dy.row(row), dy.row(row) + dy.dim(1), Scalar{0});
}

inline std::vector<Mistake> softmax_mistakes() {
  using enum WrongKind;
  const auto of_all_rows = [](const Tensor& y, const Tensor& dy, Index) {
    return std::inner_product(y.values().begin(), y.values().end(), dy.data(), Scalar{0});
  };
  const auto over_columns = [](const Tensor& y, const Tensor& dy, Index row) {
    return product_of_row(y, dy, row) / static_cast<Scalar>(y.dim(1));
  };
  const auto log_sum = [](const Var& x) { return subtract(x, log_softmax(x)); };
  return {
      {"softmax",
       {0},
       "Σ y dy left out",
       {term},
       softmax_gradient([](const Tensor&, const Tensor&, Index) { return Scalar{0}; })},
      {"softmax", {0}, "Σ dy for Σ y dy", {term}, softmax_gradient(sum_of_row)},
      {"softmax", {0}, "the mean of y dy for its sum", {term}, softmax_gradient(over_columns)},
      {"softmax", {0}, "Σ y dy over all rows", {term}, softmax_gradient(of_all_rows)},
      {"softmax",
       {0},
       "y (1 - y) dy: the diagonal alone",
       {term},
       [](BackwardPass& pass) {
         const Tensor y = value_of(pass.function, pass.inputs);
         for (Index i = 0; i < y.size(); ++i) {
           pass.gradients[0].data()[i] = y.data()[i] * (1 - y.data()[i]) * pass.dy.data()[i];
         }
       }},
      {"log_softmax", {0}, "exp(y) Σ dy left out", {term}, as_of([log_sum](const Vars& x) {
         return subtract(x[0], detached(log_sum(x[0])));
       })},
      {"log_softmax",
       {0},
       "y for exp(y)",
       {term},
       [](BackwardPass& pass) {
         const Tensor y = value_of(pass.function, pass.inputs);
         for (Index i = 0; i < y.size(); ++i) {
           const Scalar sum = sum_of_row(y, pass.dy, i / y.dim(1));
           pass.gradients[0].data()[i] = pass.dy.data()[i] - y.data()[i] * sum;
         }
       }},
      {"log_softmax", {0}, "as for softmax", {term}, as_of([](const Vars& x) {
         return softmax(x[0]);
       })},
  };
}

// Each row's mean, repeated in every column.
inline Var row_means(const Var& x) {
  const Index D = x.shape()[1];
  return matmul(x, x.tape().constant(Tensor::full({D, D}, 1 / static_cast<Scalar>(D))));
}

// x / √(mean(x²) + 1e-5) = x exp(-ln(mean(x²) + 1e-5) / 2)
inline Var over_root_mean_square(const Var& x) {
  const Var epsilon = x.tape().constant(Tensor::full(x.shape(), static_cast<Scalar>(1e-5)));
  return multiply(x, exp(scale(log(add(row_means(multiply(x, x)), epsilon)), -0.5)));
}

inline Var add_number(const Var& x, double number) {
  return add(x, x.tape().constant(Tensor::full(x.shape(), static_cast<Scalar>(number))));
}

// 1 / √(mean(c²) + 1e-5), repeated in every column.
inline Var inverse_deviation(const Var& c) {
  return exp(scale(log(add_number(row_means(multiply(c, c)), 1e-5)), -0.5));
}

inline Var centred(const Var& x) { return subtract(x, row_means(x)); }

inline Var ones_for(const Var& gain) { return gain.tape().constant(Tensor::full(gain.shape(), 1)); }

inline std::vector<Mistake> layer_norm_mistakes() {
  using enum WrongKind;
  return {
      {"layer_norm", {0}, "the mean's term left out", {term}, as_of([](const Vars& x) {
         const Var c = subtract(x[0], detached(row_means(x[0])));
         return multiply(over_root_mean_square(c), x[1]);
       })},
      {"layer_norm", {0}, "the variance's term left out", {term}, as_of([](const Vars& x) {
         const Var c = centred(x[0]);
         return multiply(multiply(c, detached(inverse_deviation(c))), x[1]);
       })},
      {"layer_norm", {0}, "both terms left out", {term}, as_of([](const Vars& x) {
         const Var scales = inverse_deviation(centred(x[0]));
         return multiply(multiply(x[0], detached(scales)), x[1]);
       })},
      {"layer_norm", {0}, "the gain left out", {term}, as_of([](const Vars& x) {
         return layer_norm(x[0], ones_for(x[1]), x[2]);
       })},
      {"layer_norm", {0}, "1 / σ left out", {term}, as_of([](const Vars& x) {
         const Var scales = detached(inverse_deviation(centred(x[0])));
         const Var over = exp(scale(log(scales), -1));
         return multiply(layer_norm(x[0], x[1], x[2]), over);
       })},
      {"layer_norm", {0}, "ε = 1e-3 for 1e-5", {term}, as_of([](const Vars& x) {
         return layer_norm(x[0], x[1], x[2], Scalar(1e-3));
       })},
      {"layer_norm", {1}, "x for x̂", {term}, as_of([](const Vars& x) {
         return multiply(x[0], x[1]);
       })},
      {"layer_norm", {2}, "with the gain", {term}, as_of([](const Vars& x) {
         return add(x[0], multiply(x[2], detached(x[1])));
       })},
  };
}

inline std::vector<Mistake> rms_norm_mistakes() {
  using enum WrongKind;
  return {
      {"rms_norm", {0}, "the root's term left out", {term}, as_of([](const Vars& x) {
         return multiply(multiply(x[0], detached(inverse_deviation(x[0]))), x[1]);
       })},
      {"rms_norm", {0}, "the gain left out", {term}, as_of([](const Vars& x) {
         return rms_norm(x[0], ones_for(x[1]));
       })},
      {"rms_norm", {0}, "a mean taken off, as in layer_norm", {term}, as_of([](const Vars& x) {
         return rms_norm(centred(x[0]), x[1]);
       })},
      {"rms_norm", {1}, "x for x̂", {term}, as_of([](const Vars& x) {
         return multiply(x[0], x[1]);
       })},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
