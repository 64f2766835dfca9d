// The task modular_arithmetic: every pair once, with its sum.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(ModularArithmetic, has_every_pair_once_with_its_sum_and_says_which_tokens_form_its_circle) {
  const Task task = make_task(TaskOptions("modular_arithmetic"), {.seed = 1});
  std::set<std::pair<int, int>> pairs;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    ASSERT_EQ(example.source.size(), 2U);
    ASSERT_EQ(example.target.size(), 1U);
    const int a = std::stoi(task.source_tokenizer->entry(example.source[0]));
    const int b = std::stoi(task.source_tokenizer->entry(example.source[1]));
    EXPECT_EQ(std::stoi(task.target_tokenizer->entry(example.target[0])), (a + b) % 97);
    pairs.emplace(a, b);
  });
  EXPECT_EQ(pairs.size(), 97U * 97U);
  EXPECT_EQ(task.split("train").size(), 4705);  // half of 9409
  EXPECT_EQ(task.split("validation").size(), 940);
  EXPECT_EQ(task.split("test").size(), 3764);
  ASSERT_EQ(task.cyclic_tokens.size(), 97U);
  for (std::size_t number = 0; number < 97; ++number) {
    EXPECT_EQ(task.source_tokenizer->entry(task.cyclic_tokens[number]), std::to_string(number));
  }
  EXPECT_THAT(make_task(TaskOptions("copy"), {.seed = 1}).cyclic_tokens, IsEmpty());
}

}}  // namespace tapehead
