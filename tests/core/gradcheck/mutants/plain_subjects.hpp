// Gradient check subjects: the plain ops (arithmetic, products, sums, pieces).
#pragma once

#include "core/ops/arithmetic.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/linear.hpp"
#include "tests/core/gradcheck/mutants/op_subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Scalar subject_factor = 1.7;

// Moves inputs from -1 ... 1 to 0.5 ... 2.5.
inline void make_positive(Tensors& inputs) {
  for (Tensor& input : inputs) {
    std::ranges::transform(input.values(), input.data(), [](Scalar x) { return x + 1.5; });
  }
}

inline std::vector<OpSubject> product_subjects() {
  const auto product = [](const auto&... x) { return linear(x...); };
  const OpInput x{"x", {4, 3}};
  const OpInput weight{"weight", {5, 3}, true};
  return {
      {"linear", {x, weight, {"bias", {5}, true}}, of_vars<3>(product)},
      {"linear, no bias", {x, weight}, of_vars<2>(product)},
      {"matmul", {{"a", {3, 4}}, {"b", {4, 5}, true}}, of_vars<2>(matmul)},
      // Squares, so that transposed factors still fit.
      {"matmul, squares", {{"a", {4, 4}}, {"b", {4, 4}, true}}, of_vars<2>(matmul)},
      {"transpose", {{"x", {3, 4}}}, of_vars<1>(transpose)},
  };
}

inline std::vector<OpSubject> arithmetic_subjects() {
  const std::vector<OpInput> same{{"a", {3, 4}}, {"b", {3, 4}}};
  const std::vector<OpInput> row{{"a", {3, 4}}, {"b", {4}, true}};
  const std::vector<OpInput> one{{"x", {3, 4}}};
  return {
      {"add", same, of_vars<2>(add)},
      {"add, a row", row, of_vars<2>(add)},
      {"subtract", same, of_vars<2>(subtract)},
      {"subtract, a row", row, of_vars<2>(subtract)},
      {"multiply", same, of_vars<2>(multiply)},
      {"multiply, a row", row, of_vars<2>(multiply)},
      {"scale", one, of_vars<1>([](const Var& x) { return scale(x, subject_factor); })},
      {"exp", one, of_vars<1>([](const Var& x) { return exp(x); })},
      {"log", one, of_vars<1>([](const Var& x) { return log(x); }), make_positive},
  };
}

inline std::vector<OpSubject> reduce_subjects() {
  const std::vector<OpInput> one{{"x", {3, 4}}};
  return {
      {"sum", one, of_vars<1>([](const Var& x) { return sum(x); })},
      {"sum, over rows", one, of_vars<1>([](const Var& x) { return sum(x, 0); })},
      {"sum, in each row", one, of_vars<1>([](const Var& x) { return sum(x, 1); })},
      {"mean", one, of_vars<1>([](const Var& x) { return mean(x); })},
      {"mean, over rows", one, of_vars<1>([](const Var& x) { return mean(x, 0); })},
      {"mean, in each row", one, of_vars<1>([](const Var& x) { return mean(x, 1); })},
  };
}

inline std::vector<OpSubject> piece_subjects() {
  const auto along = [](Index axis) {
    return of_vars<2>([axis](const Var& a, const Var& b) { return concatenate({a, b}, axis); });
  };
  const auto slice_along = [](Index axis) {
    return of_vars<1>([axis](const Var& x) { return slice(x, axis, 1, 3); });
  };
  return {
      {"concatenate, rows", {{"a", {2, 3}}, {"b", {4, 3}}}, along(0)},
      {"concatenate, columns", {{"a", {3, 2}}, {"b", {3, 4}}}, along(1)},
      {"slice, rows", {{"x", {5, 3}}}, slice_along(0)},
      {"slice, columns", {{"x", {3, 5}}}, slice_along(1)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
