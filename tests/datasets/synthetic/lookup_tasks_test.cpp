// The tasks induction and recall, which ask for the token that followed the same token before.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Induction, asks_for_what_followed_the_last_symbol_before) {
  const Task task = make_task(small_task("induction"), {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const std::vector<TokenId>& source = example.source;
    const Index last = std::ssize(source) - 1;
    ASSERT_EQ(std::ranges::count(source, source.back()), 2);
    const Index before = std::ranges::find(source, source.back()) - source.begin();
    ASSERT_LE(before, last - 2);
    EXPECT_THAT(example.target, ElementsAre(source.back(), token_at(source, before + 1)));

    const Relations relations = split.source->relations(number);
    EXPECT_THAT(pairs_of(relations, "question", RelationSide::across),
                ElementsAre(PositionPair{0, last}));
    EXPECT_THAT(pairs_of(relations, "answer", RelationSide::across),
                ElementsAre(PositionPair{1, before + 1}));
    const auto previous = pairs_of(relations, "previous", RelationSide::source);
    ASSERT_EQ(previous.size(),
              source.size());  // one per row except the first, including the end mark
    for (const auto& [query, key] : previous) {
      EXPECT_EQ(key, query - 1);
    }
  });
}

// Neither the place of the answer, from either end, nor the asked symbol tells the answer.
TEST(Induction, the_asked_symbol_is_as_likely_anywhere) {
  TaskOptions options = small_task("induction");
  auto& symbols = options.as<SyntheticOptions>();
  symbols.min_length = symbols.max_length = 8;
  symbols.train_examples = 12000;
  const Task task = make_task(options, {.seed = 1});
  std::map<Index, int> places;
  std::map<std::pair<TokenId, TokenId>, int> bigrams;
  for (const Example& example : examples_of(task.split("train"))) {
    ++places[std::ranges::find(example.source, example.source.back()) - example.source.begin()];
    ++bigrams[{example.target[0], example.target[1]}];
  }
  ASSERT_EQ(places.size(), 6U);
  for (const auto& [place, count] : places) {
    EXPECT_NEAR(count, 2000, 200) << place;
  }
  ASSERT_EQ(bigrams.size(), 72U);  // 9 symbols, each followed by the 8 others
  for (const auto& [bigram, count] : bigrams) {
    EXPECT_NEAR(count, 12000.0 / 72, 60);
  }
}

TEST(Recall, has_facts_then_a_gap_then_a_question_and_says_its_value) {
  const Task task = make_task(small_task("recall"), {.seed = 1});
  std::set<std::size_t> gaps;
  std::array<int, 4> asked{};
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const std::vector<std::string> words = entries_of(*task.source_tokenizer, example.source);
    const Relations relations = split.source->relations(number);
    std::map<std::string, std::string> facts;
    for (std::size_t i = 0; i < 8; i += 2) {
      ASSERT_TRUE(words[i].front() == 'k' && words[i + 1].front() == 'v');
      if (words[i] == words.back()) {
        ++asked[i / 2];
        EXPECT_THAT(pairs_of(relations, "answer", RelationSide::across),
                    ElementsAre(PositionPair{1, static_cast<Index>(i) + 1}));
      }
      facts[words[i]] = words[i + 1];
    }
    ASSERT_EQ(facts.size(), 4U);
    for (std::size_t i = 8; i + 1 < words.size(); ++i) {
      EXPECT_THAT(words[i].front(), AllOf(Ne('k'), Ne('v'))) << "in the gap";
    }
    gaps.insert(words.size() - 9);
    EXPECT_THAT(entries_of(*task.target_tokenizer, example.target),
                ElementsAre(words.back(), facts.at(words.back())));
    EXPECT_THAT(pairs_of(relations, "question", RelationSide::across),
                ElementsAre(PositionPair{0, std::ssize(words) - 1}));
    EXPECT_THAT(pairs_of(relations, "key", RelationSide::source),
                ElementsAre(PositionPair{1, 0}, PositionPair{3, 2}, PositionPair{5, 4},
                            PositionPair{7, 6}));
  });
  EXPECT_THAT(gaps, ElementsAre(2, 3, 4, 5, 6));
  EXPECT_THAT(asked, Each(AllOf(Ge(3500 / 4 - 120), Le(3500 / 4 + 120))));
}

TEST(Recall, gaps_may_be_none_or_512_tokens) {
  for (const Index gap : {0, 512}) {
    TaskOptions options = small_task("recall");
    task_option(options, "min_gap") = task_option(options, "max_gap") = gap;
    task_option(options, "train_examples") = 100;
    const Task task = make_task(options, {.seed = 1});
    for_each_example(task, [&](const Split&, Index, const Example& example) {
      EXPECT_EQ(std::ssize(example.source), 8 + gap + 1);
    });
  }
}

}}  // namespace tapehead
