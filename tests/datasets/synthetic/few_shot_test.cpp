// The task few_shot: examples show a mapping and ask for one value; each further split shows as
// many pairs as its name says.
#include "datasets/make_task.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(FewShot, shows_pairs_of_one_mapping_and_asks_for_any_key) {
  const Task task = make_task(small_task("few_shot"), {.seed = 1});
  std::map<std::string, int> asked;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    std::map<std::string, std::string> shown;
    const auto word = [&](std::size_t i) {
      return task.source_tokenizer->entry(example.source[i]);
    };
    const std::size_t last = example.source.size() - 1;
    std::vector<PositionPair> answers;
    std::vector<PositionPair> keys;
    for (std::size_t i = 0; i < last; i += 2) {
      ASSERT_EQ(word(i).front(), 'k');
      ASSERT_EQ(word(i + 1).front(), 'v');
      EXPECT_TRUE(shown.emplace(word(i), word(i + 1)).second) << "a key is shown twice";
      keys.push_back({static_cast<Index>(i) + 1, static_cast<Index>(i)});
      if (word(i) == word(last)) {
        answers.push_back({1, static_cast<Index>(i) + 1});
      }
    }
    ASSERT_EQ(example.target.size(), 2U);
    EXPECT_EQ(task.target_tokenizer->entry(example.target.front()), word(last));
    const std::string value = task.target_tokenizer->entry(example.target.back());
    EXPECT_EQ(value.front(), 'v');
    if (shown.contains(word(last))) {
      EXPECT_EQ(value, shown.at(word(last)));
    }
    ++asked[word(last)];
    const Relations relations = split.source->relations(number);
    EXPECT_EQ(pairs_of(relations, "answer", RelationSide::across), answers);
    EXPECT_EQ(pairs_of(relations, "key", RelationSide::source), keys);
    EXPECT_THAT(pairs_of(relations, "question", RelationSide::across),
                ElementsAre(PositionPair{0, static_cast<Index>(last)}));
  });
  EXPECT_EQ(asked.size(), 8U);
}

// Without the shown pair, every value of a key is equally likely. Values differ from example to
// example, so weights cannot store them.
TEST(FewShot, mappings_are_drawn_anew) {
  const Task task = make_task(small_task("few_shot"), {.seed = 1});
  std::map<std::pair<TokenId, TokenId>, int> answers;
  for (const Example& example : examples_of(task.split("train"))) {
    ++answers[{example.source.back(), example.target.back()}];
  }
  ASSERT_EQ(answers.size(), 8U * 16U);
  for (const auto& [pair, count] : answers) {
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
  for (const Index shots : {0, 1, 2, 4}) {
    const Split& split = task.split("shots_" + std::to_string(shots));
    EXPECT_EQ(split.size(), 300);
    for (const Example& example : examples_of(split)) {
      EXPECT_EQ(std::ssize(example.source), 2 * shots + 1);
    }
  }
  EXPECT_EQ(task.splits.size(), 7U);
  std::set<Index> lengths;
  for (const Example& example : examples_of(task.split("test"))) {
    lengths.insert(std::ssize(example.source) / 2);
  }
  EXPECT_THAT(lengths, ElementsAre(0, 1, 2, 3, 4, 5));
}

}}  // namespace tapehead
