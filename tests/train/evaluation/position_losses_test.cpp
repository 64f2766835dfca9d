// Losses by position: the position ranges, and the labels in each range.
#include "tests/support/testing.hpp"
#include "train/evaluation/breakdowns.hpp"

namespace tapehead { namespace {

// One sequence with `rows` rows; each row has a label, whose loss is the row number.
std::vector<PositionLoss> of_one_sequence(Index rows) {
  Batch batch;
  batch.input.segments = segments_of({rows});
  std::vector<double> losses(static_cast<std::size_t>(rows));
  std::iota(losses.begin(), losses.end(), 0.0);
  PositionLosses by_position(rows);
  by_position.add(batch, losses);
  return by_position.ranges();
}

TEST(PositionLosses, are_of_single_positions_up_to_32) {
  for (const Index rows : {0, 1, 2, 7, 31, 32}) {
    const std::vector<PositionLoss> ranges = of_one_sequence(rows);
    ASSERT_EQ(std::ssize(ranges), rows);
    for (Index i = 0; i < rows; ++i) {
      const PositionLoss& range = ranges[static_cast<std::size_t>(i)];
      EXPECT_EQ(range.first, i + 1);
      EXPECT_EQ(range.last, i + 1);
      EXPECT_EQ(range.mean(), static_cast<double>(i));
    }
  }
}

TEST(PositionLosses, of_many_positions_are_in_32_ranges_that_widen) {
  for (const Index rows : {33, 64, 100, 1024, 70000}) {
    SCOPED_TRACE(rows);
    const std::vector<PositionLoss> ranges = of_one_sequence(rows);
    ASSERT_EQ(ranges.size(), 32U);
    Index end = 0;
    double sum = 0;
    for (const PositionLoss& range : ranges) {
      EXPECT_EQ(range.first, end + 1);
      EXPECT_EQ(range.tokens, range.last - range.first + 1);
      // The mean of the row numbers, which are one less than the positions.
      EXPECT_DOUBLE_EQ(range.mean(), static_cast<double>(range.first + range.last) / 2 - 1);
      sum += range.negative_log_likelihood;
      end = range.last;
    }
    EXPECT_EQ(end, rows);
    EXPECT_EQ(ranges[0].last, 1);
    EXPECT_GE(ranges[31].tokens, ranges[16].tokens);
    EXPECT_GE(ranges[16].tokens, ranges[8].tokens);
    EXPECT_LE(static_cast<double>(ranges[31].tokens), 0.35 * static_cast<double>(rows));
    const auto count = static_cast<double>(rows);
    EXPECT_EQ(sum, count * (count - 1) / 2);
  }
}

// Sequences of 3 and 2 rows; rows 2, 3 and 4 have labels.
TEST(PositionLosses, are_of_labels_alone_and_add_up) {
  Batch batch;
  batch.input.segments = segments_of({3, 2});
  batch.labels = {.every_row = false, .rows = {2, 3, 4}, .ids = {5, 6, 7}};
  PositionLosses one(3);
  one.add(batch, std::vector{0.5, 2.0, 4.0});
  PositionLosses both(3);
  both.add(one);
  both.add(one);
  std::vector<std::pair<Index, double>> found;
  for (const PositionLoss& range : both.ranges()) {
    found.emplace_back(range.tokens, range.negative_log_likelihood);
  }
  EXPECT_THAT(found, ElementsAre(std::pair(2, 4.0), std::pair(2, 8.0), std::pair(2, 1.0)));
}

TEST(PositionLosses, without_labels_are_left_out) {
  Batch batch;
  batch.input.segments = segments_of({3});
  batch.labels = {.every_row = false, .rows = {2}, .ids = {5}};
  PositionLosses losses(3);
  losses.add(batch, std::vector{0.5});
  ASSERT_EQ(losses.ranges().size(), 1U);
  EXPECT_EQ(losses.ranges()[0].first, 3);
  PositionLosses none;
  none.add(batch, std::vector{0.5});
  EXPECT_TRUE(none.ranges().empty());
}

}}  // namespace tapehead
