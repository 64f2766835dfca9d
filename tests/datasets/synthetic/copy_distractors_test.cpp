// The task copy_distractors, checked by the words of its sources.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(CopyDistractors, says_the_marked_symbols_in_order_and_their_share_is_an_option) {
  TaskOptions options = small_task("copy_distractors");
  EXPECT_EQ(task_option<double>(options, "marked"), 0.5);  // by default
  for (const auto& [share, tolerance] :
       {std::pair{0.5, 0.01}, {0.0, 0.02}, {0.2, 0.02}, {1.0, 0.02}}) {
    task_option<double>(options, "marked") = share;
    const Task task = make_task(options, {.seed = 1});
    double said = 0;
    double read = 0;
    for_each_example(task, [&](const Split& split, Index number, const Example& example) {
      std::vector<std::string> expected;
      std::vector<PositionPair> places;
      const std::vector<std::string> words = entries_of(*task.source_tokenizer, example.source);
      for (Index i = 0; i < std::ssize(words); ++i) {
        const std::string& word = words[static_cast<std::size_t>(i)];
        if (word.back() == '*') {
          places.push_back({std::ssize(expected), i});
          expected.push_back(word.substr(0, word.size() - 1));
        }
      }
      EXPECT_EQ(entries_of(*task.target_tokenizer, example.target), expected);
      EXPECT_EQ(pairs_of(split.source->relations(number), "answer", RelationSide::across), places);
      said += static_cast<double>(expected.size());
      read += static_cast<double>(words.size());
    });
    EXPECT_NEAR(said / read, share, tolerance);
  }
}

}}  // namespace tapehead
