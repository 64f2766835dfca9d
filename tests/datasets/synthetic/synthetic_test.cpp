// The answers of copy, reverse and sort; for all synthetic tasks, the effect of options, and spaces
// too small to split.
#include "datasets/make_task.hpp"
#include "datasets/synthetic/symbols.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TaskOptions options_of(std::string_view name) {
  TaskOptions options(name);
  options.as<SyntheticOptions>() = {.vocabulary = 11,
                                    .min_length = 1,
                                    .max_length = 10,
                                    .train_examples = 5000,
                                    .validation_examples = 300,
                                    .test_examples = 400,
                                    .longer_min_length = 11,
                                    .longer_max_length = 13,
                                    .longer_examples = 200};
  return options;
}

std::vector<TokenId> answer(std::string_view name, std::vector<TokenId> source) {
  if (name == "reverse") {
    std::reverse(source.begin(), source.end());
  }
  if (name == "sort") {
    std::sort(source.begin(), source.end());
  }
  return source;
}

void leave_out_longer(TaskOptions& options) {
  options.as<SyntheticOptions>().longer_examples = 0;
  options.as<SyntheticOptions>().longer_min_length = 0;
  options.as<SyntheticOptions>().longer_max_length = 0;
}

class Synthetic : public TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Tasks, Synthetic, Values("copy", "reverse", "sort"),
                         [](const auto& task) { return task.param; });

TEST_P(Synthetic, targets_are_what_the_task_makes_of_the_sources) {
  const Task task = make_task(options_of(GetParam()), {.seed = 1});
  EXPECT_EQ(task.source_tokenizer->size(), mark_count + 11);
  for (const Split& split : task.splits) {
    for (const Example& example : examples_of(split)) {
      EXPECT_EQ(example.target, answer(GetParam(), example.source));
      EXPECT_GE(*std::min_element(example.source.begin(), example.source.end()), mark_count);
      EXPECT_LT(*std::max_element(example.source.begin(), example.source.end()), mark_count + 11);
    }
  }
}

TEST(SyntheticTask, sizes_and_lengths_are_as_asked_for) {
  const Task task = make_task(options_of("copy"), {.seed = 1});
  ASSERT_EQ(task.splits.size(), 4U);
  EXPECT_EQ(task.splits[0].name, "train");
  const auto sizes = std::array<std::size_t, 4>{5000, 300, 400, 200};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(task.splits[i].size(), sizes[i]);
    const std::size_t minimum = i == 3 ? 11 : 1;
    const std::size_t maximum = i == 3 ? 13 : 10;
    for (const Example& example : examples_of(task.splits[i])) {
      EXPECT_GE(example.source.size(), minimum);
      EXPECT_LE(example.source.size(), maximum);
    }
  }
}

TEST(SyntheticTask, lengths_and_symbols_are_uniform) {
  TaskOptions options = options_of("copy");
  options.as<SyntheticOptions>().train_examples = 20000;
  const Task task = make_task(options, {.seed = 1});
  std::array<int, 11> lengths{};
  std::array<int, 11> symbols{};
  for (const Example& example : examples_of(task.split("train"))) {
    ++lengths[example.source.size()];
    for (const TokenId token : example.source) {
      ++symbols[static_cast<std::size_t>(token - mark_count)];
    }
  }
  // 20,000 lengths over 10 values, and about 110,000 symbols over 11. Short lengths are the least
  // even: other splits hold some of the 11 sequences of one symbol and the 121 of two.
  for (std::size_t length = 3; length <= 10; ++length) {
    EXPECT_NEAR(lengths[length], 2000, 250);
  }
  for (const int count : symbols) {
    EXPECT_NEAR(count, 10000, 800);
  }
}

TEST(SyntheticTask, without_longer_examples_there_is_no_such_split) {
  TaskOptions options = options_of("copy");
  leave_out_longer(options);
  const Task task = make_task(options, {.seed = 1});
  EXPECT_EQ(task.splits.size(), 3U);
}

TEST(SyntheticTask, the_seed_decides_everything) {
  const TaskOptions options = options_of("copy");
  const Task task = make_task(options, {.seed = 7});
  EXPECT_EQ(make_task(options, {.seed = 7}).fingerprint, task.fingerprint);
  EXPECT_NE(make_task(options, {.seed = 8}).fingerprint, task.fingerprint);
  EXPECT_NE(make_task(options_of("reverse"), {.seed = 7}).fingerprint, task.fingerprint);
}

TEST(SyntheticTask, a_split_does_not_depend_on_the_size_of_another) {
  TaskOptions options = options_of("copy");
  const Task task = make_task(options, {.seed = 1});
  options.as<SyntheticOptions>().train_examples = 100;
  leave_out_longer(options);
  EXPECT_EQ(make_task(options, {.seed = 1}).split("test").references,
            task.split("test").references);
}

TEST(SyntheticTask, the_empty_sequence_is_a_sequence) {
  TaskOptions options = options_of("reverse");
  options.as<SyntheticOptions>().min_length = 0;
  const Task task = make_task(options, {.seed = 1});
  std::set<std::string> splits_with_empty;
  for (const Split& split : task.splits) {
    for (const Example& example : examples_of(split)) {
      if (example.source.empty()) {
        splits_with_empty.insert(split.name);
      }
    }
  }
  EXPECT_EQ(splits_with_empty.size(), 1U);
}

TEST(SyntheticTask, a_space_too_small_to_split_is_refused) {
  TaskOptions options = options_of("copy");
  leave_out_longer(options);
  options.as<SyntheticOptions>().vocabulary = 1;
  options.as<SyntheticOptions>().max_length = 1;
  EXPECT_THAT(message_of<DataError>([&] { make_task(options, {.seed = 1}); }),
              HasSubstr("too few sequences of 1 to 1 symbols out of 1 for a separate "));
  options.as<SyntheticOptions>().vocabulary = 2;
  options.as<SyntheticOptions>().max_length =
      2;  // with six sequences, some seeds leave a split empty
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    refused +=
        message_of<DataError>([&] { make_task(options, {.seed = seed}); }) != "no error" ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

TEST(SyntheticTask, options_that_contradict_each_other_are_refused) {
  TaskOptions options = options_of("copy");
  options.as<SyntheticOptions>().min_length = 11;
  EXPECT_THAT(message_of<ConfigError>([&] { make_task(options, {.seed = 1}); }),
              HasSubstr("task.min_length: longer than task.max_length (11, 10)"));
  options = options_of("copy");
  options.as<SyntheticOptions>().longer_min_length = 10;
  EXPECT_THAT(message_of<ConfigError>([&] { make_task(options, {.seed = 1}); }),
              HasSubstr("must begin beyond task.max_length (longer_min_length 10, max_length 10)"));
  options.as<SyntheticOptions>().longer_min_length = 14;
  EXPECT_THAT(message_of<ConfigError>([&] { make_task(options, {.seed = 1}); }),
              HasSubstr("shorter than task.longer_min_length (13, 14)"));
}

TEST(SyntheticTask, the_tokenizer_is_kept_in_the_run_directory) {
  const TemporaryDirectory directory;
  TaskOptions options = options_of("copy");
  const std::string fingerprint =
      make_task(options, {.seed = 1, .tokenizers = directory / "run"}).fingerprint;
  EXPECT_EQ(load_tokenizers(directory / "run").target->size(), mark_count + 11);
  EXPECT_EQ(make_task(options, {.seed = 1, .tokenizers = directory / "run"}).fingerprint,
            fingerprint);
  options.as<SyntheticOptions>().vocabulary = 12;
  EXPECT_THAT(
      io_error_of([&] { make_task(options, {.seed = 1, .tokenizers = directory / "run"}); }),
      HasSubstr(
          "run contains the tokenizer of another task: 14 entries, but this task has 15; leave "
          "the options of the task as they were, or start another run from its weights"));
}

}}  // namespace tapehead
