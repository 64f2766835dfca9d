// The answers of copy, reverse and sort; for all synthetic tasks, the effect of options, and spaces
// too small to split.
#include "datasets/make_task.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

constexpr SyntheticOptions usual{.vocabulary = 11,
                                 .min_length = 1,
                                 .max_length = 10,
                                 .train_examples = 5000,
                                 .validation_examples = 300,
                                 .test_examples = 400,
                                 .longer_min_length = 11,
                                 .longer_max_length = 13,
                                 .longer_examples = 200};

TaskOptions options_of(std::string_view name, const SyntheticOptions& synthetic = usual) {
  TaskOptions options(name);
  options.as<SyntheticOptions>() = synthetic;
  return options;
}

Task task_of(std::string_view name, const SyntheticOptions& synthetic = usual) {
  return make_task(options_of(name, synthetic), {.seed = 1});
}

SyntheticOptions without_longer(SyntheticOptions options) {
  options.longer_examples = options.longer_min_length = options.longer_max_length = 0;
  return options;
}

TEST(Synthetic, targets_are_what_the_task_makes_of_the_sources) {
  std::set<std::string> fingerprints;
  for (const std::string name : {"copy", "reverse", "sort"}) {
    SCOPED_TRACE(name);
    const Task task = task_of(name);
    EXPECT_TRUE(fingerprints.insert(task.fingerprint).second);
    EXPECT_EQ(task.source_tokenizer->size(), mark_count + 11);
    for_each_example(task, [&](const Split&, Index, const Example& example) {
      std::vector<TokenId> answer = example.source;
      if (name == "reverse") {
        std::ranges::reverse(answer);
      } else if (name == "sort") {
        std::ranges::sort(answer);
      }
      EXPECT_EQ(example.target, answer);
      EXPECT_THAT(example.source, Each(AllOf(Ge(mark_count), Lt(mark_count + 11))));
    });
  }
}

struct Sizes {
  Index examples;
  std::size_t shortest, longest;
};

TEST(SyntheticTask, sizes_and_lengths_are_as_asked_for_and_uniform) {
  const Task task = task_of("copy");
  ASSERT_EQ(task.splits.size(), 4U);
  EXPECT_EQ(task.splits[0].name, "train");
  const std::array<Sizes, 4> sizes{{{5000, 1, 10}, {300, 1, 10}, {400, 1, 10}, {200, 11, 13}}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(task.splits[i].size(), sizes[i].examples);
    for (const Example& example : examples_of(task.splits[i])) {
      EXPECT_GE(example.source.size(), sizes[i].shortest);
      EXPECT_LE(example.source.size(), sizes[i].longest);
    }
  }
  SyntheticOptions fewer = without_longer(usual);
  fewer.train_examples = 100;
  const Task small = task_of("copy", fewer);
  EXPECT_EQ(small.splits.size(), 3U);
  EXPECT_EQ(small.split("test").references, task.split("test").references)
      << "a split does not depend on the size of another";
  SyntheticOptions with_empty = usual;
  with_empty.min_length = 0;
  std::set<std::string> splits_with_empty;
  for_each_example(task_of("reverse", with_empty),
                   [&](const Split& split, Index, const Example& example) {
                     if (example.source.empty()) {
                       splits_with_empty.insert(split.name);
                     }
                   });
  EXPECT_EQ(splits_with_empty.size(), 1U) << "the empty sequence is a sequence";
  SyntheticOptions many = usual;
  many.train_examples = 20000;
  std::array<int, 11> lengths{};
  std::array<int, 11> symbols{};
  for (const Example& example : examples_of(task_of("copy", many).split("train"))) {
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

TEST(SyntheticTask, a_space_too_small_to_split_is_refused) {
  SyntheticOptions small = without_longer(usual);
  small.vocabulary = small.max_length = 1;
  EXPECT_THAT([&] { task_of("copy", small); },
              throws<DataError>("too few sequences of 1 to 1 symbols out of 1 for a separate "));
  small.vocabulary = small.max_length = 2;  // with six sequences, some seeds leave a split empty
  std::set<std::string> errors;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    errors.insert(
        message_of<DataError>([&] { make_task(options_of("copy", small), {.seed = seed}); }));
  }
  EXPECT_THAT(errors, Contains(Ne("no error")));
}

TEST(SyntheticTask, the_tokenizer_is_kept_in_the_run_directory) {
  const TemporaryDirectory directory;
  TaskOptions options = options_of("copy");
  const auto make = [&] {
    return make_task(options, {.seed = 1, .tokenizers = directory / "run"});
  };
  const std::string fingerprint = make().fingerprint;
  EXPECT_EQ(load_tokenizers(directory / "run").target->size(), mark_count + 11);
  EXPECT_EQ(make().fingerprint, fingerprint);
  options.as<SyntheticOptions>().vocabulary = 12;
  EXPECT_THAT(make,
              throws<IoError>("run contains the tokenizer of another task: 14 entries, but "
                              "this task has 15; leave the options of the task as they were"));
}

}}  // namespace tapehead
