// The task copy_distractors, checked by the words of its sources.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(CopyDistractors, says_the_marked_symbols_in_order) {
  const Task task = make_task(small_task("copy_distractors"), {.seed = 1});
  Index marked = 0;
  Index symbols = 0;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    std::vector<std::string> expected;
    std::vector<PositionPair> places;
    for (Index i = 0; i < static_cast<Index>(example.source.size()); ++i) {
      std::string word = task.source_tokenizer->entry(token_at(example.source, i));
      if (word.back() == '*') {
        word.pop_back();
        expected.push_back(word);
        places.push_back({static_cast<Index>(places.size()), i});
      }
    }
    std::vector<std::string> said;
    for (const TokenId token : example.target) {
      said.push_back(task.target_tokenizer->entry(token));
    }
    EXPECT_EQ(said, expected);
    EXPECT_EQ(pairs_of(split.source->relations(number), "answer", RelationSide::across), places);
    marked += static_cast<Index>(places.size());
    symbols += static_cast<Index>(example.source.size());
  });
  EXPECT_NEAR(static_cast<double>(marked) / static_cast<double>(symbols), 0.5, 0.01);
}

TEST(CopyDistractors, the_share_of_marked_symbols_is_an_option) {
  for (const double share : {0.0, 0.2, 1.0}) {
    TaskOptions options = small_task("copy_distractors");
    task_option<double>(options, "marked") = share;
    const Task task = make_task(options, {.seed = 1});
    double said = 0;
    double read = 0;
    for_each_example(task, [&](const Split&, Index, const Example& example) {
      said += static_cast<double>(example.target.size());
      read += static_cast<double>(example.source.size());
    });
    EXPECT_NEAR(said / read, share, 0.02);
  }
}

}}  // namespace tapehead
