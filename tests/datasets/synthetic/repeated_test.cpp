// The task repeated: a sequence repeats a period of distinct symbols. The period differs, and rows
// after it point to the earlier place of their label.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Repeated, begins_again_after_a_period_of_different_symbols) {
  const Task task = make_task(small_task("repeated"), {.seed = 1});
  std::set<std::size_t> periods;
  std::set<std::vector<TokenId>> beginnings;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    const std::vector<TokenId>& read = example.source;
    ASSERT_EQ(read.size(), 64U);
    ASSERT_EQ(example.target.size(), 64U);
    EXPECT_TRUE(std::equal(read.begin() + 1, read.end(), example.target.begin()));
    const auto period =
        static_cast<std::size_t>(std::find(read.begin() + 1, read.end(), read[0]) - read.begin());
    periods.insert(period);
    const std::set<TokenId> different(read.begin(), read.begin() + static_cast<Index>(period));
    EXPECT_EQ(different.size(), period);
    for (std::size_t i = period; i < read.size(); ++i) {
      EXPECT_EQ(read[i], read[i - period]);
    }
    EXPECT_EQ(example.target.back(), read[64 - period]);
    beginnings.emplace(read.begin(), read.begin() + 3);
  });
  EXPECT_THAT(periods, ElementsAre(3, 4, 5, 6, 7));
  EXPECT_GT(beginnings.size(), 400U) << "of 9 * 8 * 7";
}

TEST(Repeated, relates_a_repetition_to_what_followed_before) {
  const Task task = make_task(small_task("repeated"), {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    std::vector<PositionPair> answers;
    for (Index row = 0; row < std::ssize(example.source); ++row) {
      for (Index before = 0; before < row; ++before) {
        if (example.source[static_cast<std::size_t>(before)] ==
            example.source[static_cast<std::size_t>(row)]) {
          answers.push_back({row, before + 1});
        }
      }
    }
    const Relations relations = split.source->relations(number);
    EXPECT_EQ(pairs_of(relations, "answer", RelationSide::source), answers);
    EXPECT_EQ(pairs_of(relations, "previous", RelationSide::source).size(), 63U);
  });
}

}}  // namespace tapehead
