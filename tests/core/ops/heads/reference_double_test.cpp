// Every op on head vectors against its formula: values, and gradients by differences.
#include "core/ops/heads/head_linear.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/heads/head_rotation.hpp"
#include "tests/reference/expect_like.hpp"
#include "tests/reference/gates.hpp"
#include "tests/reference/heads.hpp"
#include "tests/support/plain.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using reference::Array;

// Five rows of three heads, each 4 columns wide, from column 1 on. The heads lie side by side,
// overlap, or are the same columns.
constexpr Index heads = 3;
constexpr Index width = 4;
const std::optional<Index> steps[] = {std::nullopt, 3, 0};

Tensor some_heads() { return random_tensor({5, heads * width + 2}, 1); }

Segments placed() { return {.list = {{0, 2, 3}, {2, 0, 1}, {2, 3, 0}}, .first_row = 40}; }

// Compares an op with a formula of (N, heads, width), and checks its gradients, for each layout of
// the heads.
template <class Formula, class Op, class... Other>
void expect_heads_like(const Formula& formula, const Op& op, const Other&... others) {
  for (const std::optional<Index>& step : steps) {
    const auto call = [&](const Var& x, const std::same_as<Var> auto&... rest) {
      return op(HeadColumns{.matrix = x, .first = 1, .step = step}, rest...);
    };
    expect_like(
        [&](const Array& x, const auto&... rest) -> Array {
          return formula(reference::heads_of(x, 1, step.value_or(width), heads, width), rest...);
        },
        call, some_heads(), others...);
    expect_near(
        array(value_and_gradients(call, some_heads(), others...)[0]),
        formula(reference::heads_of(array(some_heads()), 1, step.value_or(width), heads, width),
                array(others)...),
        1e-13);
    EXPECT_GRADCHECK(call, some_heads(), others...);
  }
}

TEST(ReferenceHeads, linear) {
  constexpr Index out = 5;
  const auto by_head = [](const Array& weight, const std::vector<Index>& shape) {
    return Array(xt::broadcast(xt::reshape_view(weight, shape),
                               std::vector<Index>{heads, shape[1], shape.back()}));
  };
  for (const Index maps : {heads, Index{1}}) {  // a map for each head, or one for all
    const auto formula = [&](const Array& x, const Array& W, const Array& b) {
      const Array biases = by_head(b, {maps, out, 1});
      return reference::side_by_side(reference::head_linear(
          x, by_head(W, {maps, out, width}), xt::reshape_view(biases, {heads, out})));
    };
    const Tensor weight = random_tensor({maps * out, width}, 2);
    expect_heads_like(
        formula,
        [](const HeadColumns& x, const Var& W, const Var& b) {
          return head_linear(x, W, heads, out, b);
        },
        weight, random_tensor({maps * out}, 3));
    expect_heads_like(
        [&](const Array& x, const Array& W) {
          return formula(x, W, xt::zeros<double>({maps * out}));
        },
        [](const HeadColumns& x, const Var& W) { return head_linear(x, W, heads, out); }, weight);
  }
}

TEST(ReferenceHeads, factors_and_sums) {
  expect_heads_like(
      [](const Array& x, const Array& factors) {
        return reference::side_by_side(reference::scale_heads(x, factors));
      },
      [](const HeadColumns& x, const Var& factors) {
        return scale_heads(x, factors, heads, width);
      },
      random_tensor({heads}, 2));
  expect_heads_like(
      reference::sum_heads,
      [](const HeadColumns& x, const Var& weights) { return sum_heads(x, weights, heads, width); },
      random_tensor({heads}, 2));
}

// Heads of ones show what is dropped.
TEST(ReferenceHeads, dropped) {
  const Dropout drop{.probability = 0.4, .draws = Draws(3, "tests.heads", 5, 40)};
  Tape tape(false);
  const Tensor ones = tape.constant(Tensor::full({5, heads * width}, 1)).value();
  const Array dropped =
      array(drop_heads({tape.constant(ones)}, placed(), heads, width, drop).value());
  const Array kept = xt::view(dropped, xt::all(), xt::range(0, heads * width, width));
  ASSERT_GT(xt::sum(kept)(), 0);
  ASSERT_LT(xt::sum(xt::cast<double>(kept > 0))(), 15);
  expect_heads_like(
      [&](const Array& x) { return reference::side_by_side(reference::scale_heads(x, kept)); },
      [&](const HeadColumns& x) { return drop_heads(x, placed(), heads, width, drop); });
}

TEST(ReferenceHeads, normalized) {
  for (const double epsilon : {1e-12, 0.3}) {
    expect_heads_like(
        [&](const Array& x) {
          return reference::side_by_side(reference::normalize_heads(x, epsilon));
        },
        [&](const HeadColumns& x) {
          return normalize_heads(x, heads, width, static_cast<Scalar>(epsilon));
        });
  }
}

// Rows of the segments: positions 3, 4, then 0, 1, 2.
TEST(ReferenceHeads, rotated) {
  const Tensor table = rotations(6, width);
  expect_heads_like(
      [](const Array& x) {
        return reference::side_by_side(reference::rotate_heads(x, {3, 4, 0, 1, 2}));
      },
      [&](const HeadColumns& x) { return rotate_heads(x, table, placed(), heads, width); });
  expect_heads_like(
      [](const Array& x) {
        return reference::side_by_side(
            reference::rotate_interleaved_heads(x, {3, 4, 0, 1, 2}, 500));
      },
      [further = rotations(6, width, 500)](const HeadColumns& x) {
        return rotate_heads(x, further, placed(), heads, width, RotaryPairs::interleaved);
      });
}

Array logistic_slope(const Array& x) {
  const Array y = reference::logistic(x);
  return y * (1 - y);
}

Array settled_slope(const Array& x) {
  const Array z = reference::settled_gates(x);
  return 1.2 * logistic_slope(x) * xt::cast<double>(z > 0) * xt::cast<double>(z < 1);
}

// Gates between 0 and 1, gates at 0 and gates at 1; with the derivatives of the formulas.
TEST(ReferenceHeads, gates) {
  const Tensor log_alpha = random_tensor({41}, 2, -4, 4);
  const auto expect_gates = [x = array(log_alpha), &log_alpha](
                                const auto& formula, const auto& derivative, const auto& op) {
    expect_like(formula, op, log_alpha);
    const std::vector<Tensor> given = value_and_gradients(op, log_alpha);
    const Array cotangent = array(random_tensor(given[0].shape(), 6));
    expect_near(array(given[0]), formula(x), 1e-13);
    expect_near(array(given[1]), cotangent * derivative(x), 1e-13);
  };
  expect_gates(reference::settled_gates, settled_slope, settled_gates);
  expect_gates(
      reference::open_gates,
      [](const Array& x) { return logistic_slope(x - 2.0 / 3 * std::log(0.1 / 1.1)); }, open_gates);
  const Draws draws(3, "tests.gates", 7);
  Array u = xt::empty<double>({41});
  for (std::size_t h = 0; h < 41; ++h) {
    u(h) = draw_uniform(draws, h);
  }
  expect_gates([&](const Array& x) { return reference::drawn_gates(x, u); },
               [&](const Array& x) -> Array {
                 return 1.5 * settled_slope(1.5 * (xt::log(u) - xt::log(1 - u) + x));
               },
               [&](const Var& x) { return draw_gates(x, draws); });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
