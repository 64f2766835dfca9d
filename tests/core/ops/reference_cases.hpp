// Every op on rows against its formula: values, and gradients by differences of the formula.
#pragma once

#include "core/ops/activation.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "tests/reference/activation.hpp"
#include "tests/reference/embedding.hpp"
#include "tests/reference/expect_like.hpp"
#include "tests/reference/linear.hpp"
#include "tests/reference/norm.hpp"
#include "tests/reference/softmax.hpp"
#include "tests/support/plain.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using reference::Array;

// Full vectors and a remainder, on any CPU.
constexpr Index D = 37;

const Dropout drop{.probability = 0.4, .draws = Draws(3, "tests.reference", 5)};

TEST(ReferenceOps, linear) {
  const Tensor x = random_tensor({5, D}, 1);
  const Tensor W = random_tensor({7, D}, 2);
  expect_like(
      reference::linear, [](const Var& a, const Var& b, const Var& c) { return linear(a, b, c); },
      x, W, random_tensor({7}, 3));
  expect_like([](const Array& a, const Array& b) -> Array { return reference::linear(a, b, {0}); },
              [](const Var& a, const Var& b) { return linear(a, b); }, x, W);
  expect_like(
      [](const Array& a, const Array& b) { return reference::linear_with_first_rows(a, b, 4); },
      [](const Var& a, const Var& b) {
        return linear_with_rows(a, b, {}, {.first = 0, .count = 4});
      },
      x, W);
}

TEST(ReferenceOps, matmul_and_transpose) {
  expect_like(reference::matmul, matmul, random_tensor({5, 7}, 1), random_tensor({7, D}, 2));
  expect_like([](const Array& x) -> Array { return xt::transpose(x); }, transpose,
              random_tensor({5, D}, 1));
}

TEST(ReferenceOps, activations) {
  for (const Activation kind : {Activation::relu, Activation::gelu, Activation::gelu_exact,
                                Activation::silu, Activation::tanh}) {
    for (const Dropout& dropped : {Dropout{}, drop}) {
      const Array factors = array(dropout_factors({5, D}, dropped));
      expect_like(
          [&](const Array& x, const Array& bias) {
            return reference::bias_activation(x, bias, kind, factors);
          },
          [&](const Var& x, const Var& bias) { return bias_activation(x, bias, kind, dropped); },
          random_tensor({5, D}, 4, -3, 3), random_tensor({D}, 2));
      expect_like(
          [&](const Array& x, const Array& bias) {
            return reference::gated_activation(x, bias, kind, factors);
          },
          [&](const Var& x, const Var& bias) { return gated_activation(x, bias, kind, dropped); },
          random_tensor({5, 2 * D}, 4, -3, 3), random_tensor({2 * D}, 2));
    }
  }
}

TEST(ReferenceOps, residual_and_dropout) {
  for (const Dropout& dropped : {Dropout{}, drop}) {
    const Array factors = array(dropout_factors({5, D}, dropped));
    expect_like(
        [&](const Array& x, const Array& f, const Array& bias) {
          return reference::residual(x, f, bias, factors);
        },
        [&](const Var& x, const Var& f, const Var& bias) { return residual(x, f, bias, dropped); },
        random_tensor({5, D}, 1), random_tensor({5, D}, 2), random_tensor({D}, 3));
    expect_like([&](const Array& x) -> Array { return factors * x; },
                [&](const Var& x) { return dropout(x, dropped); }, random_tensor({5, D}, 1));
  }
}

TEST(ReferenceOps, norms) {
  for (const double epsilon : {1e-5, 0.3}) {
    expect_like([&](const Array& x, const Array& gain,
                    const Array& bias) { return reference::layer_norm(x, gain, bias, epsilon); },
                [&](const Var& x, const Var& gain, const Var& bias) {
                  return layer_norm(x, gain, bias, static_cast<Scalar>(epsilon));
                },
                random_tensor({5, D}, 1), random_tensor({D}, 2), random_tensor({D}, 3));
    expect_like(
        [&](const Array& x, const Array& gain) { return reference::rms_norm(x, gain, epsilon); },
        [&](const Var& x, const Var& gain) {
          return rms_norm(x, gain, static_cast<Scalar>(epsilon));
        },
        random_tensor({5, D}, 1), random_tensor({D}, 2));
  }
}

TEST(ReferenceOps, softmax) {
  expect_like(reference::softmax, softmax, random_tensor({5, D}, 1, -3, 3));
  expect_like(reference::log_softmax, log_softmax, random_tensor({5, D}, 1, -3, 3));
}

TEST(ReferenceOps, cross_entropy) {
  const std::vector<TokenId> targets{2, 0, D - 1, 4};
  for (const double smoothing : {0.0, 0.1}) {
    expect_like([&](const Array& x) { return reference::cross_entropy(x, targets, smoothing); },
                [&](const Var& x) {
                  return cross_entropy(x, targets, static_cast<Scalar>(smoothing)).loss;
                },
                random_tensor({4, D}, 1, -3, 3));
  }
}

// Row 2 is used twice, row 1 never.
TEST(ReferenceOps, lookup) {
  const std::vector<TokenId> ids{2, 0, 2, 3, 4};
  expect_like([&](const Array& table) { return reference::lookup(table, ids, 3); },
              [&](const Var& table) { return lookup(table, ids, 3); }, random_tensor({6, D}, 1));
}

// Three sequences: one is empty, one starts at position 2.
TEST(ReferenceOps, positions) {
  const Segments segments{.list = {{0, 3, 0}, {3, 0, 0}, {3, 2, 2}}, .first_row = 0};
  for (const double scale : {1.0, 0.25}) {
    expect_like(
        [&](const Array& x, const Array& table) {
          return reference::add_positions(x, table, {0, 1, 2, 2, 3}, scale);
        },
        [&](const Var& x, const Var& table) {
          return add_positions(x, table, segments, static_cast<Scalar>(scale));
        },
        random_tensor({5, D}, 1), random_tensor({7, D}, 2));
  }
  expect_near(array(sinusoidal_positions(7, 10)), reference::sinusoidal_positions(7, 10),
              sizeof(Scalar) == sizeof(double) ? 1e-14 : 1e-6);
}

TEST(ReferenceOps, select_rows) {
  const std::vector<Index> rows{0, 2, 5};
  expect_like([&](const Array& x) { return reference::rows_of(x, rows); },
              [&](const Var& x) { return select_rows(x, rows); }, random_tensor({6, D}, 1));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
