// Ops on head vectors: gradients by differences, values against plain ops.
#include <tapehead/gtest.hpp>

#include "core/ops/heads/head_linear.hpp"
#include "core/ops/heads/head_rotation.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Five rows of three heads, each 4 columns wide, from column 1 on, with two unused columns. The
// heads lie side by side, overlap, or are the same columns.
constexpr Index heads = 3;
constexpr Index width = 4;
const std::vector<std::optional<Index>> steps{std::nullopt, 3, 0};

Tensor some_heads() { return random_tensor({5, heads * width + 2}, 1); }

Segments placed() { return {.list = {{0, 2, 3}, {2, 0, 1}, {2, 3, 0}}, .first_row = 40}; }

// The number in a head's column of row `row` of x.
Scalar at(const Tensor& x, const std::optional<Index>& step, Index row, Index head, Index column) {
  return x.row(row)[1 + head * step.value_or(width) + column];
}

// Compares an op's value with f(row, head, column) and its gradients with differences.
template <class Op, class Expected, std::same_as<Tensor>... Other>
void check(const Op& op, const Expected& expected, const Other&... others) {
  const Tensor x = some_heads();
  for (const auto& step : steps) {
    const auto with = [&](const Var& values, const std::same_as<Var> auto&... rest) {
      return op(HeadColumns{.matrix = values, .first = 1, .step = step}, rest...);
    };
    Tape tape(false);
    const Tensor y = with(tape.constant(x), tape.constant(others)...).value();
    ASSERT_EQ(y.dim(0), 5);
    for (Index i = 0; i < y.dim(0); ++i) {
      for (Index c = 0; c < y.dim(1); ++c) {
        EXPECT_NEAR(y.row(i)[c], expected(x, step, i, c), 1e-13);
      }
    }
    EXPECT_GRADCHECK(with, x, others...);
  }
}

TEST(HeadLinear, is_a_map_of_each_head) {
  constexpr Index out = 3;
  for (const Index maps : {heads, Index{1}}) {
    const Tensor w = random_tensor({maps * out, width}, 2);
    const Tensor b = random_tensor({maps * out}, 3);
    const auto product = [&](const Tensor& x, const auto& step, Index i, Index c) {
      const Index row = maps == 1 ? c % out : c;
      Scalar sum = 0;
      for (Index k = 0; k < width; ++k) {
        sum += at(x, step, i, c / out, k) * w.row(row)[k];
      }
      return sum;
    };
    check(
        [](const HeadColumns& x, const Var& weight) { return head_linear(x, weight, heads, out); },
        product, w);
    check([](const HeadColumns& x, const Var& weight,
             const Var& bias) { return head_linear(x, weight, heads, out, bias); },
          [&](const Tensor& x, const auto& step, Index i, Index c) {
            return product(x, step, i, c) + b.data()[maps == 1 ? c % out : c];
          },
          w, b);
  }
}

TEST(ScaleHeads, multiplies_each_head) {
  const Tensor factors = random_tensor({heads}, 2);
  check([](const HeadColumns& x, const Var& f) { return scale_heads(x, f, heads, width); },
        [&](const Tensor& x, const auto& step, Index i, Index c) {
          return factors.data()[c / width] * at(x, step, i, c / width, c % width);
        },
        factors);
}

TEST(SumHeads, weighs_each_head) {
  const Tensor weights = random_tensor({heads}, 2);
  check([](const HeadColumns& x, const Var& w) { return sum_heads(x, w, heads, width); },
        [&](const Tensor& x, const auto& step, Index i, Index c) {
          Scalar sum = 0;
          for (Index h = 0; h < heads; ++h) {
            sum += weights.data()[h] * at(x, step, i, h, c);
          }
          return sum;
        },
        weights);
}

TEST(NormalizeHeads, gives_all_one_length) {
  check([](const HeadColumns& x) { return normalize_heads(x, heads, width); },
        [](const Tensor& x, const auto& step, Index i, Index c) {
          Scalar squares = 0;
          for (Index k = 0; k < width; ++k) {
            squares += at(x, step, i, c / width, k) * at(x, step, i, c / width, k);
          }
          return std::sqrt(width / (squares + 1e-12)) * at(x, step, i, c / width, c % width);
        });
}

TEST(NormalizeHeads, of_zeros_gives_zeros) {
  Tape tape(false);
  const Var zeros = tape.constant(Tensor::zeros({2, 3}));
  EXPECT_THAT(normalize_heads({zeros}, 1, 3).value().values(), Each(0));
}

// Rows of the segments: positions 3, 4, then 0, 1, 2.
TEST(RotateHeads, turns_pairs_by_position_times_frequency) {
  const Tensor table = rotations(6, width);
  const std::vector<double> positions{3, 4, 0, 1, 2};
  check([&](const HeadColumns& x) { return rotate_heads(x, table, placed(), heads, width); },
        [&](const Tensor& x, const auto& step, Index i, Index c) {
          constexpr Index half = width / 2;
          const Index pair = c % half;
          // 10000^(-2 pair / width): Su et al. 2021, equation 15.
          const double angle = positions[static_cast<std::size_t>(i)] *
                               std::pow(10000.0, -2 * static_cast<double>(pair) / width);
          const Scalar a = at(x, step, i, c / width, pair);
          const Scalar b = at(x, step, i, c / width, pair + half);
          return c % width < half ? a * std::cos(angle) - b * std::sin(angle)
                                  : b * std::cos(angle) + a * std::sin(angle);
        });
}

// Su et al. 2021, equation 15: the columns 2 c and 2 c + 1 turn together.
TEST(RotateHeads, turns_neighbours_in_the_papers_order) {
  const Tensor table = rotations(6, width, 100);
  const std::vector<double> positions{3, 4, 0, 1, 2};
  check(
      [&](const HeadColumns& x) {
        return rotate_heads(x, table, placed(), heads, width, RotaryPairs::interleaved);
      },
      [&](const Tensor& x, const auto& step, Index i, Index c) {
        const Index first = c % width / 2 * 2;
        const double angle = positions[static_cast<std::size_t>(i)] *
                             std::pow(100.0, -static_cast<double>(first) / width);
        const Scalar a = at(x, step, i, c / width, first);
        const Scalar b = at(x, step, i, c / width, first + 1);
        return c % 2 == 0 ? a * std::cos(angle) - b * std::sin(angle)
                          : b * std::cos(angle) + a * std::sin(angle);
      });
}

class RotaryProducts : public TestWithParam<RotaryPairs> {};

INSTANTIATE_TEST_SUITE_P(Pairs, RotaryProducts,
                         Values(RotaryPairs::halves, RotaryPairs::interleaved));

// The purpose of rotary positions (Su et al. 2021, equation 11).
TEST_P(RotaryProducts, depend_on_the_difference_of_positions) {
  const Tensor table = rotations(40, 6);
  const Tensor q = random_tensor({1, 6}, 1);
  const Tensor k = random_tensor({1, 6}, 2);
  const auto turned = [&](const Tensor& x, Index position) {
    Tape tape(false);
    return rotate_heads({tape.constant(x)}, table, {.list = {{0, 1, position}}, .first_row = 0}, 1,
                        6, GetParam())
        .value();
  };
  const auto product = [&](Index query, Index key) {
    Scalar sum = 0;
    for (Index c = 0; c < 6; ++c) {
      sum += turned(q, query).data()[c] * turned(k, key).data()[c];
    }
    return sum;
  };
  EXPECT_NEAR(product(9, 4), product(39, 34), 1e-10);
  EXPECT_GT(std::abs(product(9, 4) - product(9, 5)), 1e-3);
}

TEST(RotateHeads, refuses_positions_beyond_the_table) {
  Tape tape(false);
  const Var x = tape.constant(random_tensor({2, 4}, 1));
  EXPECT_THAT(
      ([&] { rotate_heads({x}, rotations(3, 4), {.list = {{0, 2, 2}}, .first_row = 0}, 1, 4); }),
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("position 3"), HasSubstr("0 ... 2"))));
}

Dropout dropout_of(double probability, const Segments& segments) {
  return {.probability = probability, .draws = Draws(3, "tests.heads", 5, segments.first_row)};
}

// Each head of a sequence is either kept, scaled by 1 / (1 - p), or zero in all of its rows.
TEST(DropHeads, drops_whole_heads_of_sequences) {
  const Tensor ones = Tensor::full({5, heads * width}, 1);
  std::set<std::vector<Scalar>> kept;
  for (Index first_row = 0; first_row < 200; first_row += 5) {
    Tape tape(false);
    const Segments segments{.list = {{0, 2, 0}, {2, 3, 0}}, .first_row = first_row};
    const Tensor y =
        drop_heads({tape.constant(ones)}, segments, heads, width, dropout_of(0.5, segments))
            .value();
    for (const Segment& segment : segments.list) {
      std::vector<Scalar> factors;
      for (Index h = 0; h < heads; ++h) {
        const Scalar factor = y.row(segment.row)[h * width];
        factors.push_back(factor);
        for (Index i = 0; i < segment.rows; ++i) {
          for (Index c = 0; c < width; ++c) {
            EXPECT_EQ(y.row(segment.row + i)[h * width + c], factor);
          }
        }
        EXPECT_TRUE(factor == 0 || std::abs(factor - 2) < 1e-4) << factor;
      }
      kept.insert(factors);
    }
  }
  EXPECT_EQ(kept.size(), 8U);  // all 2³ subsets of three heads, in 80 draws
}

TEST(DropHeads, has_its_gradient) {
  EXPECT_GRADCHECK(
      [](const Var& x) {
        return drop_heads({.matrix = x, .first = 1, .step = 3}, placed(), heads, width,
                          dropout_of(0.4, placed()));
      },
      some_heads());
}

// A sequence's draw depends on its row in the step, not on how the step is cut into batches.
TEST(DropHeads, does_not_depend_on_the_cut) {
  const Tensor x = random_tensor({5, heads * width}, 1);
  Tape tape(false);
  const Segments all{.list = {{0, 2, 0}, {2, 3, 0}}, .first_row = 7};
  const Segments second{.list = {{0, 3, 0}}, .first_row = 9};
  const Tensor whole =
      drop_heads({tape.constant(x)}, all, heads, width, dropout_of(0.5, all)).value();
  const Tensor part = drop_heads({tape.constant(x.part(2 * x.dim(1), {3, x.dim(1)}))}, second,
                                 heads, width, dropout_of(0.5, second))
                          .value();
  EXPECT_THAT(whole.values().last(static_cast<std::size_t>(part.size())),
              ElementsAreArray(part.values()));
}

TEST(HeadOps, say_what_does_not_fit) {
  Tape tape(false);
  const Var x = tape.constant(random_tensor({2, 7}, 1));
  const Var factors = tape.constant(random_tensor({2}, 2));
  EXPECT_THAT(([&] { scale_heads({x}, factors, 2, 4); }),
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("scale_heads.x"), HasSubstr("(2, 7)"), HasSubstr("8 columns"))));
  EXPECT_THAT(([&] { sum_heads({x}, factors, 3, 2); }),
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("sum_heads.weights"), HasSubstr("(3)"))));
  EXPECT_THAT(([&] { head_linear({x}, tape.constant(random_tensor({5, 3}, 1)), 2, 2); }),
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("head_linear.weight"), HasSubstr("2 rows for each of 2 heads"))));
  EXPECT_THAT(([&] { drop_heads({x}, segments_of({3}), 2, 3, {}); }),
              ThrowsMessage<ShapeError>(HasSubstr("drop_heads.x")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
