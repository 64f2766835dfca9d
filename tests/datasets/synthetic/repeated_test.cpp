// The task repeated: a sequence repeats a period of distinct symbols. The period differs, and rows
// after it point to the earlier place of their label.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Repeated, begins_again_after_a_period_and_relates_to_what_followed_before) {
  const Task task = make_task(small_task("repeated"), {.seed = 1});
  std::set<std::size_t> periods;
  std::set<std::vector<TokenId>> beginnings;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const std::vector<TokenId>& read = example.source;
    ASSERT_EQ(read.size(), 64U);
    ASSERT_EQ(example.target.size(), 64U);
    EXPECT_TRUE(std::equal(read.begin() + 1, read.end(), example.target.begin()));
    const auto again = std::find(read.begin() + 1, read.end(), read[0]);
    const auto period = static_cast<std::size_t>(again - read.begin());
    periods.insert(period);
    EXPECT_EQ(std::set<TokenId>(read.begin(), again).size(), period) << "different symbols";
    EXPECT_TRUE(std::equal(again, read.end(), read.begin()));
    EXPECT_EQ(example.target.back(), read[64 - period]);
    beginnings.emplace(read.begin(), read.begin() + 3);

    std::vector<PositionPair> answers;
    for (Index row = 0; row < std::ssize(read); ++row) {
      for (Index before = 0; before < row; ++before) {
        if (token_at(read, before) == token_at(read, row)) {
          answers.push_back({row, before + 1});
        }
      }
    }
    const Relations relations = split.source->relations(number);
    EXPECT_EQ(pairs_of(relations, "answer", RelationSide::source), answers);
    EXPECT_EQ(pairs_of(relations, "previous", RelationSide::source).size(), 63U);
  });
  EXPECT_THAT(periods, ElementsAre(3, 4, 5, 6, 7));
  EXPECT_GT(beginnings.size(), 400U) << "of 9 * 8 * 7";
}

}}  // namespace tapehead
