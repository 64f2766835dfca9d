// Selecting rows of a matrix: values by hand, gradients by differences, rejected rows.
#include "core/ops/concatenate.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(SelectRows, gradients) {
  for (const std::vector<Index>& rows : {std::vector<Index>{1, 2, 4}, std::vector<Index>{0},
                                         std::vector<Index>{}, std::vector<Index>{0, 1, 2, 3, 4}}) {
    EXPECT_GRADCHECK([&](const Var& x) { return select_rows(x, rows); }, random_tensor({5, 19}, 1));
    EXPECT_GRADCHECK(
        [&](const Var& x) { return multiply(select_rows(x, rows), select_rows(x, rows)); },
        random_tensor({5, 3}, 2));
  }
}

TEST(SelectRows, values_by_hand) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(select_rows(x, std::vector<Index>{0, 2}).value().values(), ElementsAre(1, 2, 5, 6));
  EXPECT_EQ(select_rows(x, std::vector<Index>{}).shape(), (Shape{0, 2}));
}

TEST(SelectRows, rows_that_there_are_not_are_refused) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  for (const std::vector<Index>& rows : {std::vector<Index>{0, 3}, std::vector<Index>{-1},
                                         std::vector<Index>{1, 1}, std::vector<Index>{2, 0}}) {
    EXPECT_THAT(
        [&] { select_rows(x, rows); },
        ThrowsMessage<ShapeError>(AllOf(HasSubstr("select_rows.rows"), HasSubstr("(3, 2)"))));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
