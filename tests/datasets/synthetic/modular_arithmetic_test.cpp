// The task modular_arithmetic: every pair once, with its sum.
#include "datasets/make_task.hpp"
#include "datasets/task_kind.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/task_option.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(ModularArithmetic, has_every_pair_once_with_its_sum) {
  const TaskOptions options("modular_arithmetic");
  const Task task = make_task(options, {.seed = 1});
  std::set<std::pair<TokenId, TokenId>> pairs;
  for (const Split& split : task.splits) {
    for (const Example& example : examples_of(split)) {
      ASSERT_EQ(example.source.size(), 2U);
      ASSERT_EQ(example.target.size(), 1U);
      const int a = std::stoi(task.source_tokenizer->entry(example.source[0]));
      const int b = std::stoi(task.source_tokenizer->entry(example.source[1]));
      EXPECT_EQ(std::stoi(task.target_tokenizer->entry(example.target[0])), (a + b) % 97);
      pairs.emplace(a, b);
    }
  }
  EXPECT_EQ(pairs.size(), 97U * 97U);
  EXPECT_EQ(task.split("train").size(), 4705);  // half of 9409
  EXPECT_EQ(task.split("validation").size(), 940);
  EXPECT_EQ(task.split("test").size(), 3764);
}

TEST(ModularArithmetic, says_which_tokens_are_the_numbers_of_its_circle) {
  const TaskOptions options("modular_arithmetic");
  const Task task = make_task(options, {.seed = 1});
  ASSERT_EQ(task.cyclic_tokens.size(), 97U);
  for (int number = 0; number < 97; ++number) {
    const TokenId token = task.cyclic_tokens[static_cast<std::size_t>(number)];
    EXPECT_EQ(task.source_tokenizer->entry(token), std::to_string(number));
  }
  EXPECT_TRUE(make_task(TaskOptions("copy"), {.seed = 1}).cyclic_tokens.empty());
}

TEST(ModularArithmetic, is_shuffled_by_the_seed) {
  const TaskOptions options("modular_arithmetic");
  EXPECT_NE(make_task(options, {.seed = 1}).fingerprint,
            make_task(options, {.seed = 2}).fingerprint);
  EXPECT_EQ(make_task(options, {.seed = 2}).fingerprint,
            make_task(options, {.seed = 2}).fingerprint);
}

}}  // namespace tapehead
