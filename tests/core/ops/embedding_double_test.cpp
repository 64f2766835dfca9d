// Token lookup and positions: gradients by differences, sinusoids by the formula.
#include "core/ops/embedding.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Row 2 is used twice, row 1 never.
const std::vector<TokenId> ids{2, 0, 2, 3};

TEST(Lookup, gradients) {
  for (const Index D : {1, 8, 19}) {
    EXPECT_GRADCHECK([](const Var& table) { return lookup(table, ids, 3); },
                     random_tensor({4, D}, 1));
  }
  EXPECT_GRADCHECK([](const Var& table) { return lookup(table, {}); }, random_tensor({4, 3}, 1));
}

TEST(Lookup, gradients_of_one_table_used_twice) {
  EXPECT_GRADCHECK(
      [](const Var& table) {
        return multiply(lookup(table, ids, 2), lookup(table, std::vector<TokenId>{1, 2, 2, 0}));
      },
      random_tensor({4, 5}, 1));
  // Tied embedding and output.
  EXPECT_GRADCHECK([](const Var& table) { return matmul(lookup(table, ids), transpose(table)); },
                   random_tensor({4, 5}, 1));
}

TEST(Lookup, errors_name_the_id_and_the_table) {
  Tape tape;
  const Var table = tape.variable(random_tensor({4, 3}, 1));
  const auto says = [](const char* message) {
    return ThrowsMessage<ShapeError>(HasSubstr(message));
  };
  EXPECT_THAT([&] { lookup(table, std::vector<TokenId>{1, 4}); },
              says("lookup.ids: 4 is outside the table's 0 ... 3"));
  EXPECT_THAT([&] { lookup(table, std::vector<TokenId>{-1}); },
              says("lookup.ids: -1 is outside the table's 0 ... 3"));
  EXPECT_THAT([&] { lookup(tape.variable(random_tensor({4}, 1)), ids); },
              says("lookup.table: expected two axes, got (4)"));
}

// Three sequences: the second is empty, another starts at a later position.
Segments sequences() {
  Segments segments = segments_of({3, 0, 2});
  segments.list[2].position = 2;
  return segments;
}

TEST(AddPositions, gradients) {
  const auto call = [](const Var& x, const Var& table) {
    return add_positions(x, table, sequences());
  };
  EXPECT_GRADCHECK(call, random_tensor({5, 19}, 1), random_tensor({5, 19}, 2));
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& table) { return add_positions(x, table, segments_of({0, 0})); },
      random_tensor({0, 3}, 1), random_tensor({4, 3}, 2));
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& table) { return add_positions(x, table, sequences(), 0.3); },
      random_tensor({5, 19}, 1), random_tensor({5, 19}, 2));
}

// x passes its gradient on unchanged; the gradient of the table is added to it.
TEST(AddPositions, gradients_of_the_same_var_twice) {
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

TEST(AddPositions, errors_name_the_shapes_and_the_remedy) {
  Tape tape;
  const Var x = tape.variable(random_tensor({5, 3}, 1));
  const auto table = [&tape](const Shape& shape) { return tape.variable(random_tensor(shape, 2)); };
  const auto says = [](const char* message, const char* more) {
    return ThrowsMessage<ShapeError>(AllOf(HasSubstr(message), HasSubstr(more)));
  };
  EXPECT_THAT([&] { add_positions(x, table({4, 2}), sequences()); },
              says("add_positions.table for x (5, 3)", "expected (4, 3), got (4, 2)"));
  EXPECT_THAT([&] { add_positions(x, table({4, 3}), segments_of({4})); },
              says("add_positions.x: expected the 4 rows of the segments", "got (5, 3)"));
  EXPECT_THAT([&] { add_positions(x, table({3, 3}), sequences()); },
              says("add_positions: position: 3 is outside the table's 0 ... 2",
                   "raise model.max_positions"));
}

// Vaswani et al. 2017, section 3.5, for D = 4: wavelengths 2π and 200π.
TEST(SinusoidalPositions, by_the_formula) {
  const Tensor table = sinusoidal_positions(3, 4);
  EXPECT_EQ(table.shape(), Shape({3, 4}));
  EXPECT_THAT(table.values().first(4), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(table.values().last(4),
              ElementsAre(DoubleNear(std::sin(2.0), 1e-15), DoubleNear(std::cos(2.0), 1e-15),
                          DoubleNear(std::sin(0.02), 1e-15), DoubleNear(std::cos(0.02), 1e-15)));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
