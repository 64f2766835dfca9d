// Joins sequences: values by hand, gradients by differences, rejected shapes.
#include "core/ops/concatenate.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(JoinSequences, values_by_hand) {
  Tape tape(false);
  const Var before = tape.constant(Tensor::of({3, 1}, {1, 2, 3}));
  const Var after = tape.constant(Tensor::of({4, 1}, {4, 5, 6, 7}));
  const Segments first = segments_of({2, 0, 1});
  const Segments second = segments_of({1, 2, 1});
  EXPECT_THAT(join_sequences(before, first, after, second).value().values(),
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
  const Segments both = joined(before, after);
  EXPECT_EQ(both[0].rows, 7);
  EXPECT_EQ(both[0].position, 3);
  EXPECT_EQ(both[1].row, 7);
  EXPECT_EQ(both[1].rows, 2);
  EXPECT_EQ(both[1].position, 0);
}

TEST(JoinSequences, wrong_shapes_are_refused) {
  Tape tape(false);
  const Var three = tape.constant(random_tensor({3, 2}, 1));
  const Var wide = tape.constant(random_tensor({3, 5}, 1));
  const Segments one = segments_of({3});
  EXPECT_THAT([&] { join_sequences(three, one, wide, one); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("join_sequences.after"),
                                              HasSubstr("(3, 2)"), HasSubstr("(3, 5)"))));
  EXPECT_THAT([&] { join_sequences(three, segments_of({2}), three, one); },
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("join_sequences.before"), HasSubstr("(3, 2)"), HasSubstr("2"))));
  EXPECT_THAT([&] { join_sequences(three, segments_of({1, 2}), three, one); },
              ThrowsMessage<ShapeError>(HasSubstr("2 sequences before, but 1 after")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
