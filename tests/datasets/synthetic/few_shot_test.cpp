// The task few_shot: examples show a mapping and ask for one value; each further split shows as
// many pairs as its name says.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Without the shown pair, every value of a key is equally likely. Values differ from example to
// example, so weights cannot store them.
TEST(FewShot, shows_pairs_of_one_mapping_that_is_drawn_anew_and_asks_for_any_key) {
  const Task task = make_task(small_task("few_shot"), {.seed = 1});
  std::map<std::pair<TokenId, TokenId>, int> trained;
  std::set<std::string> asked;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const std::vector<std::string> words = entries_of(*task.source_tokenizer, example.source);
    std::map<std::string, std::string> shown;
    const Index last = std::ssize(words) - 1;
    std::vector<PositionPair> answers;
    std::vector<PositionPair> keys;
    for (Index i = 0; i < last; i += 2) {
      const std::string& key = words[static_cast<std::size_t>(i)];
      const std::string& value = words[static_cast<std::size_t>(i) + 1];
      ASSERT_EQ(key.front(), 'k');
      ASSERT_EQ(value.front(), 'v');
      EXPECT_TRUE(shown.emplace(key, value).second) << "a key is shown twice";
      keys.push_back({i + 1, i});
      if (key == words.back()) {
        answers.push_back({1, i + 1});
      }
    }
    const std::vector<std::string> target = entries_of(*task.target_tokenizer, example.target);
    ASSERT_EQ(target.size(), 2U);
    EXPECT_EQ(target[0], words.back());
    EXPECT_EQ(target[1].front(), 'v');
    EXPECT_TRUE(!shown.contains(target[0]) || shown.at(target[0]) == target[1]);
    asked.insert(words.back());
    if (split.name == "train") {
      ++trained[{example.source.back(), example.target.back()}];
    }
    const Relations relations = split.source->relations(number);
    EXPECT_EQ(pairs_of(relations, "answer", RelationSide::across), answers);
    EXPECT_EQ(pairs_of(relations, "key", RelationSide::source), keys);
    EXPECT_THAT(pairs_of(relations, "question", RelationSide::across),
                ElementsAre(PositionPair{0, last}));
  });
  EXPECT_EQ(asked.size(), 8U);
  EXPECT_EQ(trained.size(), 8U * 16U);
  for (const auto& [pair, count] : trained) {
    EXPECT_NEAR(count, 3000.0 / 128, 20);  // 4 deviations of an expected count of 23
  }
}

TEST(FewShot, further_splits_show_as_many_pairs_as_they_say) {
  TaskOptions options = small_task("few_shot");
  EXPECT_THAT(options.kind().splits(options),
              ElementsAre("train", "validation", "test", "shots_0", "shots_1", "shots_2", "shots_4",
                          "shots_8"));
  task_option(options, "shots") = 5;
  const Task task = make_task(options, {.seed = 1});
  EXPECT_EQ(task.splits.size(), 7U);
  std::map<std::string, std::set<Index>> pairs;
  for_each_example(task, [&](const Split& split, Index, const Example& example) {
    EXPECT_EQ(example.source.size() % 2, 1U);
    pairs[split.name].insert(std::ssize(example.source) / 2);
  });
  EXPECT_THAT(pairs["test"], ElementsAre(0, 1, 2, 3, 4, 5));
  for (const Index shots : {0, 1, 2, 4}) {
    const std::string name = fmt::format("shots_{}", shots);
    EXPECT_EQ(task.split(name).size(), 300);
    EXPECT_THAT(pairs[name], ElementsAre(shots));
  }
}

}}  // namespace tapehead
