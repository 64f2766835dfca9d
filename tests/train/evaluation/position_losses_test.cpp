// Losses by position: the position ranges, and the labels in each range. Labels that the sequence
// determines (answers) are counted separately.
#include "datasets/pairs.hpp"
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
      EXPECT_THAT(ranges[static_cast<std::size_t>(i)],
                  FieldsAre(i + 1, i + 1, 1, static_cast<double>(i)));
    }
  }
}

TEST(PositionLosses, of_many_positions_are_in_32_ranges_that_widen) {
  for (const Index rows : {33, 64, 100, 1024, 70000}) {
    SCOPED_TRACE(rows);
    const std::vector<PositionLoss> ranges = of_one_sequence(rows);
    const auto count = static_cast<double>(rows);
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
    EXPECT_LE(static_cast<double>(ranges[31].tokens), 0.35 * count);
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
  EXPECT_THAT(both.ranges(), ElementsAre(FieldsAre(1, 1, 2, 4.0), FieldsAre(2, 2, 2, 8.0),
                                         FieldsAre(3, 3, 2, 1.0)));
  // Positions without labels are left out.
  batch.labels = {.every_row = false, .rows = {2}, .ids = {5}};
  PositionLosses third(3);
  third.add(batch, std::vector{0.5});
  EXPECT_THAT(third.ranges(), ElementsAre(FieldsAre(3, 3, 1, 0.5)));
  PositionLosses none;
  none.add(batch, std::vector{0.5});
  EXPECT_THAT(none.ranges(), IsEmpty());
}

// Two examples of four rows, with a label on each row.
std::shared_ptr<const Source> labelled(const FindRelations& relations) {
  return pair_source(
      std::make_shared<const Examples>(Examples{{.source = {3, 4, 5, 4}, .target = {4, 5, 4, 6}},
                                                {.source = {5, 5, 6, 3}, .target = {5, 6, 3, 3}}}),
      {.input = InputRows::source}, relations);
}

// In example 0, rows 1 and 3 are answers; row 3 has two keys.
TEST(AnswerScores, count_rows_with_an_answer_apart) {
  const auto answered = labelled([](Index example) {
    Relation answer{.name = "answer", .side = RelationSide::source, .pairs = {}};
    if (example == 0) {
      answer.pairs = {{1, 0}, {3, 0}, {3, 2}};
    }
    return Relations{one_back(RelationSide::source, 4), answer};
  });
  const AnswerScores scores = answer_scores(*answered, {{4, 5, 3, 3}, {5, 6, 3, 4}});
  EXPECT_THAT(scores, FieldsAre(2, 1, 6, 4));  // answers, right; others, right
  EXPECT_EQ(scores.answer_accuracy(), 0.5);
  EXPECT_EQ(scores.other_accuracy(), 4.0 / 6);
  // The scores cover only the examples that were decoded.
  EXPECT_THAT(answer_scores(*answered, {{4, 5, 4, 6}}), FieldsAre(2, 2, 2, 2));
}

TEST(AnswerScores, are_not_measured_without_the_relation) {
  const auto other = labelled([](Index) { return Relations{one_back(RelationSide::source, 4)}; });
  EXPECT_FALSE(answer_scores(*other, {{4, 5, 4, 6}}).measured());
  EXPECT_FALSE(answer_scores(*labelled({}), {{4, 5, 4, 6}}).measured());
}

}}  // namespace tapehead
