// Correct outputs by type, counted by hand.
#include "train/evaluation/breakdowns.hpp"

#include "tests/support/examples.hpp"
#include "tests/support/testing.hpp"
#include "train/evaluation/evaluation_report.hpp"

namespace tapehead { namespace {

Split split_of_types(const std::string& name, std::vector<std::string> types) {
  Split split = split_of_pairs(Examples(types.size()), {}, name);
  split.types = std::move(types);
  return split;
}

std::vector<std::string> texts_of(const std::vector<TypeScore>& scores) {
  std::vector<std::string> texts;
  for (const TypeScore& score : scores) {
    texts.push_back(score.name + " " + std::to_string(score.right) + "/" +
                    std::to_string(score.examples));
  }
  return texts;
}

using Texts = std::vector<std::string>;

const std::vector<TypeGroup> groups{{.name = "rest", .types = {"c", "a"}},
                                    {.name = "other", .types = {"x"}},
                                    {.name = "b_alone", .types = {"b", "x"}}};

TEST(TypeScores, count_right_outputs_of_types_and_groups) {
  const Split split = split_of_types("gen", {"b", "a", "b", "c", "b"});
  const TypeScores scores = type_scores(split, groups, {true, true, false, false, true});
  EXPECT_EQ(texts_of(scores.types), (Texts{"a 1/1", "b 2/3", "c 0/1"}));
  EXPECT_EQ(texts_of(scores.groups), (Texts{"rest 1/2", "b_alone 2/3"}));
  EXPECT_DOUBLE_EQ(scores.types[1].share(), 2.0 / 3);
}

TEST(TypeScores, are_of_the_examples_that_were_written_out) {
  const Split split = split_of_types("gen", {"b", "a", "b", "c", "b"});
  EXPECT_EQ(texts_of(type_scores(split, groups, {true, false}).types), (Texts{"a 0/1", "b 1/1"}));
}

TEST(TypeScores, of_a_split_without_types_are_empty) {
  const Split split = split_of_pairs(Examples(2));
  const TypeScores scores = type_scores(split, groups, {true, true});
  EXPECT_TRUE(scores.types.empty() && scores.groups.empty());
}

TEST(TypeScores, of_all_test_splits_together_need_types_in_each) {
  Task task;
  task.splits = {split_of_types("train", {"t"}), split_of_types("test", {"a"}),
                 split_of_types("gen", {"b", "c"})};
  EXPECT_EQ(test_splits(task).back().types, (Texts{"a", "b", "c"}));
  EXPECT_EQ(splits_named(task, "test").size(), 3U);
  EXPECT_EQ(splits_named(task, "whole").front().types, (Texts{"a", "b", "c"}));
  task.splits[1].types.clear();
  EXPECT_EQ(test_splits(task).back().types, Texts());
  task.splits.pop_back();
  EXPECT_EQ(splits_named(task, "test").size(), 1U);
  EXPECT_THROW(splits_named(task, "whole"), DataError);
}

}}  // namespace tapehead
