// Labels that the sequence determines (answers) are counted separately.
#include "train/evaluation/breakdowns.hpp"

#include "datasets/pairs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Two examples of four rows, with a label on each row.
std::shared_ptr<const Source> labelled(const FindRelations& relations) {
  return pair_source(
      std::make_shared<const Examples>(Examples{{.source = {3, 4, 5, 4}, .target = {4, 5, 4, 6}},
                                                {.source = {5, 5, 6, 3}, .target = {5, 6, 3, 3}}}),
      {.input = InputRows::source}, relations);
}

// In example 0, rows 1 and 3 are answers; row 3 has two keys.
std::shared_ptr<const Source> answered() {
  return labelled([](Index example) {
    Relation answer{.name = "answer", .side = RelationSide::source, .pairs = {}};
    if (example == 0) {
      answer.pairs = {{1, 0}, {3, 0}, {3, 2}};
    }
    return Relations{one_back(RelationSide::source, 4), answer};
  });
}

TEST(AnswerScores, count_rows_with_an_answer_apart) {
  const AnswerScores scores = answer_scores(*answered(), {{4, 5, 3, 3}, {5, 6, 3, 4}});
  EXPECT_EQ(scores.answers, 2);
  EXPECT_EQ(scores.answers_right, 1);
  EXPECT_EQ(scores.others, 6);
  EXPECT_EQ(scores.others_right, 4);
  EXPECT_EQ(scores.answer_accuracy(), 0.5);
  EXPECT_EQ(scores.other_accuracy(), 4.0 / 6);
}

// The scores cover only the examples that were decoded.
TEST(AnswerScores, are_of_the_first_examples) {
  const AnswerScores scores = answer_scores(*answered(), {{4, 5, 4, 6}});
  EXPECT_EQ(scores.answers_right, 2);
  EXPECT_EQ(scores.others_right, 2);
}

TEST(AnswerScores, are_not_measured_without_the_relation) {
  const auto other = labelled([](Index) { return Relations{one_back(RelationSide::source, 4)}; });
  EXPECT_FALSE(answer_scores(*other, {{4, 5, 4, 6}}).measured());
  EXPECT_FALSE(answer_scores(*labelled({}), {{4, 5, 4, 6}}).measured());
}

}}  // namespace tapehead
