// Concatenation, slices, selected rows, joined sequences, token lookup and positions: values by
// hand, gradients by differences. (More values: reference_cases.hpp.)
#include "core/ops/concatenate.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Concatenate, gradients) {
  // The axis, and three shapes: full vectors and a remainder; an empty piece; no rows at all.
  const std::vector<std::tuple<Index, Shape, Shape, Shape>> cases{
      {0, {2, 19}, {1, 19}, {3, 19}}, {1, {3, 2}, {3, 19}, {3, 1}}, {0, {2, 5}, {0, 5}, {3, 5}},
      {1, {3, 2}, {3, 0}, {3, 1}},    {1, {0, 2}, {0, 4}, {0, 1}},
  };
  for (const auto& [axis, first, second, third] : cases) {
    SCOPED_TRACE(fmt::format("axis {}, second piece {}", axis, second.to_string()));
    EXPECT_GRADCHECK([axis = axis](const Var& a, const Var& b,
                                   const Var& c) { return concatenate({a, b, c}, axis); },
                     random_tensor(first, 1), random_tensor(second, 2), random_tensor(third, 3));
  }
  for (const Index axis : {0, 1}) {  // the same Var given twice
    EXPECT_GRADCHECK([axis](const Var& x) { return concatenate({x, x}, axis); },
                     random_tensor({3, 5}, 1));
    EXPECT_GRADCHECK([axis](const Var& x, const Var& y) { return concatenate({x, y, x}, axis); },
                     random_tensor({3, 5}, 1), random_tensor({3, 5}, 2));
  }
}

TEST(Concatenate, values_by_hand) {
  Tape tape(false);
  const Var a = tape.constant(Tensor::of({2, 2}, {1, 2, 3, 4}));
  const Var b = tape.constant(Tensor::of({1, 2}, {5, 6}));
  const Var c = tape.constant(Tensor::of({2, 1}, {7, 8}));
  EXPECT_THAT(concatenate({a, b}, 0).value().values(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(concatenate({a, c}, 1).value().values(), ElementsAre(1, 2, 7, 3, 4, 8));
  EXPECT_THAT(concatenate({a}, 1).value().values(), ElementsAre(1, 2, 3, 4));
}

TEST(Slice, gradients) {
  const Tensor x = random_tensor({7, 21}, 1);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 7}, {2, 5}, {6, 7}, {3, 3}}) {
    EXPECT_GRADCHECK([&](const Var& v) { return slice(v, 0, begin, end); }, x);
    EXPECT_GRADCHECK([&](const Var& v) { return slice(v, 1, begin, 3 * end); }, x);
  }
  EXPECT_GRADCHECK([](const Var& v) { return slice(v, 1, 1, 3); }, random_tensor({0, 4}, 1));
  for (const Index axis : {0, 1}) {  // overlapping slices of a value that another op uses too
    EXPECT_GRADCHECK(
        [axis](const Var& v) {
          const Var product = multiply(slice(v, axis, 0, 3), slice(v, axis, 1, 4));
          return concatenate({product, v, slice(v, axis, 2, 3)}, axis);
        },
        random_tensor({4, 4}, 1));
  }
}

TEST(Slice, values_by_hand) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(slice(x, 0, 1, 3).value().values(), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(slice(x, 1, 1, 2).value().values(), ElementsAre(2, 4, 6));
  EXPECT_EQ(slice(x, 0, 1, 1).shape(), Shape({0, 2}));
}

using Rows = std::vector<Index>;

TEST(SelectRows, gradients) {
  for (const Rows& rows : {Rows{1, 2, 4}, Rows{0}, Rows{}, Rows{0, 1, 2, 3, 4}}) {
    EXPECT_GRADCHECK([&](const Var& x) { return select_rows(x, rows); }, random_tensor({5, 19}, 1));
    EXPECT_GRADCHECK(
        [&](const Var& x) { return multiply(select_rows(x, rows), select_rows(x, rows)); },
        random_tensor({5, 3}, 2));
  }
  Tape tape(false);
  EXPECT_EQ(select_rows(tape.constant(Tensor::zeros({3, 2})), Rows{}).shape(), Shape({0, 2}));
}

TEST(JoinSequences, values_by_hand) {
  Tape tape(false);
  const Var before = tape.constant(Tensor::of({3, 1}, {1, 2, 3}));
  const Var after = tape.constant(Tensor::of({4, 1}, {4, 5, 6, 7}));
  EXPECT_THAT(join_sequences(before, segments_of({2, 0, 1}), after, segments_of({1, 2, 1}))
                  .value()
                  .values(),
              ElementsAre(1, 2, 4, 5, 6, 3, 7));
}

TEST(JoinSequences, gradients) {
  const Segments first = segments_of({2, 0, 3});
  const Segments second = segments_of({1, 4, 2});
  EXPECT_GRADCHECK([&](const Var& a, const Var& b) { return join_sequences(a, first, b, second); },
                   random_tensor({5, 3}, 1), random_tensor({7, 3}, 2));
  EXPECT_GRADCHECK([&](const Var& a) { return join_sequences(a, first, a, first); },
                   random_tensor({5, 19}, 3));
}

TEST(JoinSequences, segments_tell_where_the_rows_are) {
  Segments after = segments_of({3, 2});
  after.list[0].position = 7;
  const Segments before = rows_before(after, 4);  // the second sequence starts at its beginning
  EXPECT_EQ(before[0].position, 3);
  EXPECT_THAT(joined(before, after).list,
              ElementsAre(FieldsAre(0, 7, 3, _), FieldsAre(7, 2, 0, _)));
}

// Row 2 is used twice, row 1 never.
const std::vector<TokenId> ids{2, 0, 2, 3};

TEST(Lookup, gradients) {
  for (const Index D : {1, 8, 19}) {
    EXPECT_GRADCHECK([](const Var& table) { return lookup(table, ids, 3); },
                     random_tensor({4, D}, 1));
  }
  EXPECT_GRADCHECK([](const Var& table) { return lookup(table, {}); }, random_tensor({4, 3}, 1));
  // One table used twice, and as the output's weight too.
  EXPECT_GRADCHECK(
      [](const Var& table) {
        return multiply(lookup(table, ids, 2), lookup(table, std::vector<TokenId>{1, 2, 2, 0}));
      },
      random_tensor({4, 5}, 1));
  EXPECT_GRADCHECK([](const Var& table) { return matmul(lookup(table, ids), transpose(table)); },
                   random_tensor({4, 5}, 1));
}

// Three sequences: the second is empty, another starts at a later position.
Segments sequences() {
  Segments segments = segments_of({3, 0, 2});
  segments.list[2].position = 2;
  return segments;
}

TEST(AddPositions, gradients) {
  const Tensor rows = random_tensor({5, 19}, 1);
  const Tensor positions = random_tensor({5, 19}, 2);
  for (const double scale : {1.0, 0.3}) {
    EXPECT_GRADCHECK(
        [scale](const Var& x, const Var& table) {
          return add_positions(x, table, sequences(), scale);
        },
        rows, positions);
  }
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& table) { return add_positions(x, table, segments_of({0, 0})); },
      random_tensor({0, 3}, 1), random_tensor({4, 3}, 2));
  // x passes its gradient on unchanged; the gradient of the table is added to it.
  const Segments whole = segments_of({4});
  EXPECT_GRADCHECK([&](const Var& x) { return add_positions(x, x, whole); },
                   random_tensor({4, 3}, 1));
  EXPECT_GRADCHECK(
      [&](const Var& x, const Var& table) {
        const Var once = add_positions(x, table, whole);
        return multiply(add_positions(once, table, whole), once);
      },
      random_tensor({4, 3}, 1), random_tensor({6, 3}, 2));
}

// Vaswani et al. 2017, section 3.5, for D = 4: wavelengths 2π and 200π.
TEST(SinusoidalPositions, by_the_formula) {
  const Tensor table = sinusoidal_positions(3, 4);
  const std::vector<double> of_two{std::sin(2.0), std::cos(2.0), std::sin(0.02), std::cos(0.02)};
  EXPECT_EQ(table.shape(), Shape({3, 4}));
  EXPECT_THAT(table.values().first(4), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(table.values().last(4), Pointwise(DoubleNear(1e-15), of_two));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
