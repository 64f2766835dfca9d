// The tasks previous_token and two_offsets, whose answers lie at known distances.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(PreviousToken, each_place_says_the_symbol_before_it_and_the_first_symbol_0) {
  TaskOptions options = small_task("previous_token");
  options.as<SyntheticOptions>().min_length = 0;
  options.as<SyntheticOptions>().train_examples = 5000;
  const Task task = make_task(options, {.seed = 1});
  Index empty = 0;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    ASSERT_EQ(example.target.size(), example.source.size());
    const auto pairs = pairs_of(split.source->relations(number), "previous", RelationSide::across);
    if (example.source.empty()) {
      ++empty;
      EXPECT_THAT(pairs, IsEmpty());
      return;
    }
    EXPECT_EQ(task.target_tokenizer->entry(example.target.front()), "0");
    EXPECT_TRUE(
        std::equal(example.target.begin() + 1, example.target.end(), example.source.begin()));
    std::vector<PositionPair> before;
    for (Index i = 1; i < std::ssize(example.target); ++i) {
      before.push_back({i, i - 1});
    }
    EXPECT_EQ(pairs, before);
  });
  EXPECT_GT(empty, 0);
}

int number_at(const Task& task, const std::vector<TokenId>& tokens, Index position) {
  return std::stoi(task.source_tokenizer->entry(token_at(tokens, position)));
}

struct Offsets {
  Index first, second;
};

TEST(TwoOffsets, each_place_says_the_difference_of_two_symbols_and_none_is_used_twice) {
  for (const Offsets offsets : {Offsets{1, 3}, Offsets{3, 0}}) {
    TaskOptions options = small_task("two_offsets");
    task_option(options, "first_offset") = offsets.first;
    task_option(options, "second_offset") = offsets.second;
    const Task task = make_task(options, {.seed = 1});
    std::map<std::pair<TokenId, TokenId>, int> answers;
    for_each_example(task, [&](const Split& split, Index number, const Example& example) {
      ASSERT_EQ(std::ssize(example.target),
                std::min(std::ssize(example.source) - 3, std::abs(offsets.first - offsets.second)));
      std::vector<PositionPair> first;
      std::vector<PositionPair> second;
      std::set<Index> used;
      for (Index i = 0; i < std::ssize(example.target); ++i) {
        first.push_back({i, i + offsets.first});
        second.push_back({i, i + offsets.second});
        EXPECT_TRUE(used.insert(i + offsets.first).second);
        EXPECT_TRUE(used.insert(i + offsets.second).second);
        const int answer = number_at(task, example.target, i);
        EXPECT_EQ(answer, number_at(task, example.source, i + offsets.first) -
                              number_at(task, example.source, i + offsets.second));
        answers[{token_at(example.source, i + offsets.first),
                 token_at(example.source, i + offsets.second)}] = answer;
      }
      const Relations relations = split.source->relations(number);
      EXPECT_EQ(pairs_of(relations, "first", RelationSide::across), first);
      EXPECT_EQ(pairs_of(relations, "second", RelationSide::across), second);
    });
    // An even average of two symbols is equal for both orders, but their answers differ.
    ASSERT_EQ(answers.size(), 81U);
    for (const auto& [symbols, answer] : answers) {
      EXPECT_EQ(answer == 0, symbols.first == symbols.second);
      EXPECT_EQ(answers.at({symbols.second, symbols.first}), -answer);
    }
  }
}

// All 729 sources of 6 symbols out of 3, collected from many draws. For each target place, the best
// guess from the target so far and any single source symbol is right once in three, as often as the
// constant guess 0. A single offset is worth nothing.
TEST(TwoOffsets, one_symbol_helps_no_guess_even_with_all_that_was_said_before) {
  TaskOptions options = small_task("two_offsets");
  options.as<SyntheticOptions>() = {.vocabulary = 3,
                                    .min_length = 6,
                                    .max_length = 6,
                                    .train_examples = 15000,
                                    .validation_examples = 2000,
                                    .test_examples = 2000};
  const Task task = make_task(options, {.seed = 1});
  std::set<std::pair<std::vector<TokenId>, std::vector<TokenId>>> all;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    all.emplace(example.source, example.target);
  });
  ASSERT_EQ(all.size(), 729U);
  for (Index place = 0; place < 2; ++place) {
    for (Index known = 0; known < 6; ++known) {
      std::map<std::vector<TokenId>, std::map<TokenId, int>> answers;
      for (const auto& [source, target] : all) {
        std::vector<TokenId> what_is_known(target.begin(), target.begin() + place);
        what_is_known.push_back(token_at(source, known));
        ++answers[what_is_known][token_at(target, place)];
      }
      int right = 0;
      for (const auto& [what_is_known, counts] : answers) {
        right += std::ranges::max(counts | std::views::values);
      }
      EXPECT_EQ(right, 729 / 3) << "place " << place << ", symbol " << known;
    }
  }
}

}}  // namespace tapehead
