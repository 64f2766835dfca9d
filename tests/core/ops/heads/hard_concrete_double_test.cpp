// Hard concrete gates: gradients by differences, values against plain ops, draws against their
// distribution.
#include "core/ops/heads/head_linear.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// The constants of Louizos et al. 2018, section 4.1.
constexpr double low = -0.1;
constexpr double high = 1.1;
constexpr double temperature = 2.0 / 3;

Draws draws_at(Index step) { return {3, "tests.gates", step}; }

Var all(const Var& like, double value) {
  return like.tape().constant(Tensor::full(like.shape(), value));
}

Var plain_logistic(const Var& x) { return exp(scale(log(add(exp(scale(x, -1)), all(x, 1))), -1)); }

// min(1, max(0, x)).
Var plain_clamp(const Var& x) {
  Tensor between = Tensor::zeros(x.shape());
  Tensor end = Tensor::zeros(x.shape());
  for (Index i = 0; i < x.value().size(); ++i) {
    const Scalar value = x.value().data()[i];
    between.data()[i] = value > 0 && value < 1 ? 1 : 0;
    end.data()[i] = value >= 1 ? 1 : 0;
  }
  return add(multiply(x, x.tape().constant(between)), x.tape().constant(end));
}

Var plain_gates(const Var& x) {
  return plain_clamp(add(scale(plain_logistic(x), high - low), all(x, low)));
}

Var plain_drawn(const Var& log_alpha, const Draws& draws) {
  Tensor noise = Tensor::empty(log_alpha.shape());
  for (Index h = 0; h < noise.size(); ++h) {
    const double u = draw_uniform(draws, static_cast<std::uint64_t>(h));
    noise.data()[h] = std::log(u) - std::log(1 - u);
  }
  return plain_gates(scale(add(log_alpha, log_alpha.tape().constant(noise)), 1 / temperature));
}

Var plain_open(const Var& log_alpha) {
  return plain_logistic(add(log_alpha, all(log_alpha, -temperature * std::log(-low / high))));
}

// Gates between 0 and 1, gates at 0 and gates at 1.
Tensor some_gates() { return random_tensor({40}, 1, -4, 4); }

template <class Fused, class Plain>
void expect_equal(const Fused& fused, const Plain& plain, const Tensor& cotangent) {
  Tape tape;
  const Var x = tape.variable(some_gates());
  const Var like_x = tape.variable(some_gates());
  const Var a = fused(x);
  const Var b = plain(like_x);
  EXPECT_THAT(a.value().values(), Pointwise(DoubleNear(1e-13), b.value().values()));
  tape.backward(a, cotangent);
  tape.backward(b, cotangent);
  EXPECT_THAT(tape.gradient(x).values(),
              Pointwise(DoubleNear(1e-13), tape.gradient(like_x).values()));
}

TEST(HardConcrete, has_its_gradients) {
  for (const Index gates : {1, 3, 16, 0}) {
    const Tensor log_alpha = random_tensor({gates}, 2, -0.7, 0.7);
    EXPECT_GRADCHECK(settled_gates, log_alpha);
    for (const Index step : {1, 2, 3}) {
      EXPECT_GRADCHECK([step](const Var& x) { return draw_gates(x, draws_at(step)); }, log_alpha);
    }
  }
  EXPECT_GRADCHECK(open_gates, some_gates());
}

TEST(HardConcrete, equals_its_plain_composition) {
  const Tensor cotangent = random_tensor({40}, 3);
  expect_equal(settled_gates, plain_gates, cotangent);
  expect_equal([](const Var& x) { return draw_gates(x, draws_at(5)); },
               [](const Var& x) { return plain_drawn(x, draws_at(5)); }, cotangent);
}

TEST(HardConcrete, counts_open_gates_as_its_plain_composition) {
  const Tensor log_alpha = some_gates();
  Tape tape;
  Tape plain_tape;
  const Var x = tape.variable(log_alpha);
  const Var like_x = plain_tape.variable(log_alpha);
  const Var each = plain_open(like_x);
  double sum = 0;
  for (const Scalar p : each.value().values()) {
    sum += p;
  }
  const Var open = open_gates(x);
  EXPECT_NEAR(open.value().data()[0], sum, 1e-12);
  tape.backward(open, Tensor::full({1}, 1.7));
  plain_tape.backward(each, Tensor::full({40}, 1.7));
  EXPECT_THAT(tape.gradient(x).values(),
              Pointwise(DoubleNear(1e-13), plain_tape.gradient(like_x).values()));
}

// Over many steps, gates are open, and at 1, as often as their distribution says.
TEST(HardConcrete, is_drawn_as_its_distribution_says) {
  constexpr Index steps = 20000;
  const std::vector<Scalar> openness{-2, 0, 1.3, 2.5};
  const Tensor log_alpha = Tensor::of({4}, openness);
  std::vector<double> open(4);
  std::vector<double> whole(4);
  for (Index step = 0; step < steps; ++step) {
    Tape tape(false);
    const Tensor z = draw_gates(tape.constant(log_alpha), draws_at(step)).value();
    for (std::size_t h = 0; h < 4; ++h) {
      const Scalar gate = z.data()[h];
      EXPECT_TRUE(gate >= 0 && gate <= 1) << gate;
      open[h] += gate > 0 ? 1.0 / steps : 0;
      whole[h] += gate == 1 ? 1.0 / steps : 0;
    }
  }
  for (std::size_t h = 0; h < 4; ++h) {
    const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
    // P(z > c) = σ(log_alpha - β log((c - γ) / (ζ - c))) at c = 0 and c = 1.
    const double p = logistic(openness[h] - temperature * std::log(-low / high));
    const double q = logistic(openness[h] - temperature * std::log((1 - low) / (high - 1)));
    EXPECT_NEAR(open[h], p, 4 * std::sqrt(p * (1 - p) / steps));
    EXPECT_NEAR(whole[h], q, 4 * std::sqrt(q * (1 - q) / steps));
    Tape tape(false);
    EXPECT_NEAR(open_gates(tape.constant(Tensor::of({1}, {&openness[h], 1}))).value().data()[0], p,
                1e-14);
  }
}

TEST(HardConcrete, settles_at_both_ends) {
  Tape tape(false);
  const auto gate = [&](double log_alpha) {
    return settled_gates(tape.constant(Tensor::full({1}, log_alpha))).value().data()[0];
  };
  EXPECT_EQ(gate(-2.4), 0);  // log 11 = 2.398
  EXPECT_GT(gate(-2.39), 0);
  EXPECT_LT(gate(2.39), 1);
  EXPECT_EQ(gate(2.4), 1);
  EXPECT_NEAR(gate(0), 0.5, 1e-15);
}

TEST(HardConcrete, says_what_does_not_fit) {
  Tape tape(false);
  const Var x = tape.constant(random_tensor({2, 3}, 1));
  EXPECT_THAT(
      [&] { settled_gates(x); },
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("settled_gates.log_alpha"), HasSubstr("(2, 3)"))));
  EXPECT_THAT(
      [&] { draw_gates(x, draws_at(1)); },
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("draw_gates.log_alpha"), HasSubstr("(2, 3)"))));
  EXPECT_THAT([&] { open_gates(x); }, ThrowsMessage<ShapeError>(AllOf(
                                          HasSubstr("open_gates.log_alpha"), HasSubstr("(2, 3)"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
