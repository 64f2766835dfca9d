// The tasks previous_token and two_offsets, whose answers lie at known distances.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(PreviousToken, each_place_says_the_symbol_before_it_and_the_first_symbol_0) {
  const Task task = make_task(small_task("previous_token"), {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    ASSERT_EQ(example.target.size(), example.source.size());
    EXPECT_EQ(task.target_tokenizer->entry(example.target.front()), "0");
    const auto pairs = pairs_of(split.source->relations(number), "previous", RelationSide::across);
    ASSERT_EQ(pairs.size(), example.target.size() - 1);
    for (Index i = 1; i < static_cast<Index>(example.target.size()); ++i) {
      EXPECT_EQ(token_at(example.target, i), token_at(example.source, i - 1));
      EXPECT_EQ(pairs[static_cast<std::size_t>(i - 1)], (PositionPair{i, i - 1}));
    }
  });
}

TEST(PreviousToken, the_empty_sequence_is_a_sequence) {
  TaskOptions options = small_task("previous_token");
  options.as<SyntheticOptions>().min_length = 0;
  options.as<SyntheticOptions>().train_examples = 5000;
  Index empty = 0;
  const Task task = make_task(options, {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    if (example.source.empty()) {
      ++empty;
      EXPECT_TRUE(example.target.empty());
      EXPECT_TRUE(
          pairs_of(split.source->relations(number), "previous", RelationSide::across).empty());
    }
  });
  EXPECT_GT(empty, 0);
}

int number_at(const Task& task, const std::vector<TokenId>& tokens, Index position) {
  return std::stoi(task.source_tokenizer->entry(token_at(tokens, position)));
}

TEST(TwoOffsets, each_place_says_the_difference_of_the_symbols_at_both_offsets) {
  const Task task = make_task(small_task("two_offsets"), {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    ASSERT_EQ(example.target.size(), example.source.size() > 4 ? 2U : 1U);
    const Relations relations = split.source->relations(number);
    const auto first = pairs_of(relations, "first", RelationSide::across);
    const auto second = pairs_of(relations, "second", RelationSide::across);
    ASSERT_EQ(first.size(), example.target.size());
    ASSERT_EQ(second.size(), example.target.size());
    for (Index i = 0; i < static_cast<Index>(example.target.size()); ++i) {
      const auto place = static_cast<std::size_t>(i);
      EXPECT_EQ(first[place], (PositionPair{i, i + 1}));
      EXPECT_EQ(second[place], (PositionPair{i, i + 3}));
      EXPECT_EQ(number_at(task, example.target, i),
                number_at(task, example.source, i + 1) - number_at(task, example.source, i + 3));
    }
  });
}

TEST(TwoOffsets, offsets_may_be_any_two_and_no_symbol_is_used_twice) {
  TaskOptions options = small_task("two_offsets");
  task_option(options, "first_offset") = 3;
  task_option(options, "second_offset") = 0;
  const Task task = make_task(options, {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    ASSERT_EQ(example.target.size(), std::min<std::size_t>(example.source.size() - 3, 3));
    for (Index i = 0; i < static_cast<Index>(example.target.size()); ++i) {
      EXPECT_EQ(number_at(task, example.target, i),
                number_at(task, example.source, i + 3) - number_at(task, example.source, i));
    }
    std::set<Index> used;
    for (const Relation& relation : split.source->relations(number)) {
      for (const PositionPair& pair : relation.pairs) {
        EXPECT_TRUE(used.insert(pair.key).second);
      }
    }
  });
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
        const auto by_count = [](const auto& one, const auto& other) {
          return one.second < other.second;
        };
        right += std::ranges::max_element(counts, by_count)->second;
      }
      EXPECT_EQ(right, 729 / 3) << "place " << place << ", symbol " << known;
    }
  }
}

// An even average of two symbols is equal for both orders, but the answers of the two orders
// differ.
TEST(TwoOffsets, the_order_of_the_two_symbols_counts_and_only_equal_ones_answer_0) {
  const Task task = make_task(small_task("two_offsets"), {.seed = 1});
  std::map<std::pair<TokenId, TokenId>, int> answers;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    for (Index i = 0; i < static_cast<Index>(example.target.size()); ++i) {
      answers[{token_at(example.source, i + 1), token_at(example.source, i + 3)}] =
          number_at(task, example.target, i);
    }
  });
  ASSERT_EQ(answers.size(), 81U);
  for (const auto& [symbols, answer] : answers) {
    const auto [first, second] = symbols;
    EXPECT_EQ(answer == 0, first == second);
    EXPECT_EQ(answers.at({second, first}), -answer);
  }
}

}}  // namespace tapehead
