// Gradient check subjects: the plain ops (arithmetic, products, sums, pieces).
#pragma once

#include "core/ops/arithmetic.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/linear.hpp"
#include "tests/core/gradcheck/mutants/op_subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Scalar subject_factor = 1.7;

// Moves inputs from -1 ... 1 to 0.5 ... 2.5.
inline void make_positive(std::vector<Tensor>& inputs) {
  for (Tensor& input : inputs) {
    std::ranges::transform(input.values(), input.data(), [](Scalar x) { return x + 1.5; });
  }
}

inline std::vector<OpSubject> product_subjects() {
  const auto with_bias = [](const Var& x, const Var& w, const Var& b) { return linear(x, w, b); };
  const auto without = [](const Var& x, const Var& w) { return linear(x, w); };
  return {
      {.name = "linear",
       .inputs = {{"x", {4, 3}}, {"weight", {5, 3}, true}, {"bias", {5}, true}},
       .function = of_vars<3>(with_bias)},
      {.name = "linear, no bias",
       .inputs = {{"x", {4, 3}}, {"weight", {5, 3}, true}},
       .function = of_vars<2>(without)},
      {.name = "matmul",
       .inputs = {{"a", {3, 4}}, {"b", {4, 5}, true}},
       .function = of_vars<2>(matmul)},
      {.name = "matmul, squares",  // squares, so that transposed factors still fit
       .inputs = {{"a", {4, 4}}, {"b", {4, 4}, true}},
       .function = of_vars<2>(matmul)},
      {.name = "transpose", .inputs = {{"x", {3, 4}}}, .function = of_vars<1>(transpose)},
  };
}

inline std::vector<OpSubject> arithmetic_subjects() {
  const std::vector<OpInput> same{{"a", {3, 4}}, {"b", {3, 4}}};
  const std::vector<OpInput> row{{"a", {3, 4}}, {"b", {4}, true}};
  const auto scaled = [](const Var& x) { return scale(x, subject_factor); };
  const auto e_to = [](const Var& x) { return exp(x); };
  const auto ln = [](const Var& x) { return log(x); };
  return {
      {.name = "add", .inputs = same, .function = of_vars<2>(add)},
      {.name = "add, a row", .inputs = row, .function = of_vars<2>(add)},
      {.name = "subtract", .inputs = same, .function = of_vars<2>(subtract)},
      {.name = "subtract, a row", .inputs = row, .function = of_vars<2>(subtract)},
      {.name = "multiply", .inputs = same, .function = of_vars<2>(multiply)},
      {.name = "multiply, a row", .inputs = row, .function = of_vars<2>(multiply)},
      {.name = "scale", .inputs = {{"x", {3, 4}}}, .function = of_vars<1>(scaled)},
      {.name = "exp", .inputs = {{"x", {3, 4}}}, .function = of_vars<1>(e_to)},
      {.name = "log",
       .inputs = {{"x", {3, 4}}},
       .function = of_vars<1>(ln),
       .adjust = make_positive},
  };
}

inline std::vector<OpSubject> reduce_subjects() {
  const auto subject = [](const char* name, const auto& function) {
    return OpSubject{.name = name, .inputs = {{"x", {3, 4}}}, .function = of_vars<1>(function)};
  };
  return {
      subject("sum", [](const Var& x) { return sum(x); }),
      subject("sum, over rows", [](const Var& x) { return sum(x, 0); }),
      subject("sum, in each row", [](const Var& x) { return sum(x, 1); }),
      subject("mean", [](const Var& x) { return mean(x); }),
      subject("mean, over rows", [](const Var& x) { return mean(x, 0); }),
      subject("mean, in each row", [](const Var& x) { return mean(x, 1); }),
  };
}

inline std::vector<OpSubject> piece_subjects() {
  const auto below = [](const Var& a, const Var& b) { return concatenate({a, b}, 0); };
  const auto beside = [](const Var& a, const Var& b) { return concatenate({a, b}, 1); };
  const auto rows = [](const Var& x) { return slice(x, 0, 1, 3); };
  const auto columns = [](const Var& x) { return slice(x, 1, 1, 3); };
  return {
      {.name = "concatenate, rows",
       .inputs = {{"a", {2, 3}}, {"b", {4, 3}}},
       .function = of_vars<2>(below)},
      {.name = "concatenate, columns",
       .inputs = {{"a", {3, 2}}, {"b", {3, 4}}},
       .function = of_vars<2>(beside)},
      {.name = "slice, rows", .inputs = {{"x", {5, 3}}}, .function = of_vars<1>(rows)},
      {.name = "slice, columns", .inputs = {{"x", {3, 5}}}, .function = of_vars<1>(columns)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
