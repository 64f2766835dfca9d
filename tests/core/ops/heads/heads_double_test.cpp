// Ops on head vectors, and hard concrete gates: their purposes, distributions and extremes.
// (Values: reference_double_test.cpp.)
#include "core/ops/heads/head_linear.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/heads/head_rotation.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index heads = 3;
constexpr Index width = 4;

TEST(NormalizeHeads, of_zeros_gives_zeros) {
  Tape tape(false);
  const Var zeros = tape.constant(Tensor::zeros({2, 3}));
  EXPECT_THAT(normalize_heads({zeros}, 1, 3).value().values(), Each(0));
}

class RotaryProducts : public TestWithParam<RotaryPairs> {};

INSTANTIATE_TEST_SUITE_P(Pairs, RotaryProducts,
                         Values(RotaryPairs::halves, RotaryPairs::interleaved));

// The purpose of rotary positions (Su et al. 2021, equation 11).
TEST_P(RotaryProducts, depend_on_the_difference_of_positions) {
  const Tensor table = rotations(40, 6);
  const auto turned = [&](std::uint64_t seed, Index position) {
    Tape tape(false);
    const Var x = tape.constant(random_tensor({1, 6}, seed));
    return rotate_heads({x}, table, {.list = {{0, 1, position}}}, 1, 6, GetParam()).value();
  };
  const auto product = [&](Index query, Index key) {
    const Tensor q = turned(1, query);
    return std::inner_product(q.data(), q.data() + 6, turned(2, key).data(), Scalar{0});
  };
  EXPECT_NEAR(product(9, 4), product(39, 34), 1e-10);
  EXPECT_GT(std::abs(product(9, 4) - product(9, 5)), 1e-3);
}

// x after dropout of heads with probability 0.5.
Tensor dropped(const Tensor& x, const Segments& segments) {
  Tape tape(false);
  const Dropout half{.probability = 0.5, .draws = Draws(3, "tests.heads", 5, segments.first_row)};
  return drop_heads({tape.constant(x)}, segments, heads, width, half).value();
}

// Each head of a sequence is either kept, scaled by 1 / (1 - p), or zero in all of its rows.
TEST(DropHeads, drops_whole_heads_of_sequences) {
  const Tensor ones = Tensor::full({5, heads * width}, 1);
  std::set<std::vector<Scalar>> kept;
  for (Index first_row = 0; first_row < 200; first_row += 5) {
    const Segments segments{.list = {{0, 2, 0}, {2, 3, 0}}, .first_row = first_row};
    const Tensor y = dropped(ones, segments);
    for (const Segment& segment : segments.list) {
      std::vector<Scalar> factors;
      for (Index h = 0; h < heads; ++h) {
        factors.push_back(y.row(segment.row)[h * width]);
        EXPECT_THAT(factors.back(), AnyOf(0, DoubleNear(2, 1e-4)));
        for (Index i = segment.row; i < segment.row + segment.rows; ++i) {
          EXPECT_THAT(std::span(y.row(i) + h * width, width), Each(factors.back()));
        }
      }
      kept.insert(factors);
    }
  }
  EXPECT_EQ(kept.size(), 8U);  // all 2³ subsets of three heads, in 80 draws
}

// A sequence's draw depends on its row in the step, not on how the step is cut into batches.
TEST(DropHeads, does_not_depend_on_the_cut) {
  const Tensor x = random_tensor({5, heads * width}, 1);
  const Tensor whole = dropped(x, {.list = {{0, 2, 0}, {2, 3, 0}}, .first_row = 7});
  const Tensor part =
      dropped(x.part(2 * heads * width, {3, heads * width}), {.list = {{0, 3, 0}}, .first_row = 9});
  EXPECT_THAT(whole.values().last(3 * heads * width), ElementsAreArray(part.values()));
}

// The constants of Louizos et al. 2018, section 4.1.
constexpr double low = -0.1;
constexpr double high = 1.1;
constexpr double temperature = 2.0 / 3;

Draws draws_at(Index step) { return {3, "tests.gates", step}; }

// Gates between 0 and 1, gates at 0 and gates at 1.
Tensor some_gates() { return random_tensor({40}, 1, -4, 4); }

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
    const Var alone = tape.constant(Tensor::full({1}, openness[h]));
    EXPECT_NEAR(open_gates(alone).value().data()[0], p, 1e-14);
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
