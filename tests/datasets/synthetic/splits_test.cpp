// Properties of the splits and relations of every synthetic task.
#include "datasets/make_task.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class SyntheticSplits : public TestWithParam<std::string> {
 protected:
  const Task task_ = make_task(small_task(GetParam()), {.seed = 1});
};

INSTANTIATE_TEST_SUITE_P(Tasks, SyntheticSplits, ValuesIn(synthetic_names()),
                         [](const auto& task) { return task.param; });

TEST_P(SyntheticSplits, held_out_examples_have_their_texts) {
  for (const Split& split : task_.splits) {
    if (split.name == "train") {
      continue;
    }
    ASSERT_EQ(std::ssize(split.source_texts), split.size());
    ASSERT_EQ(std::ssize(split.references), split.size());
    for (std::size_t i = 0; i < split.references.size(); ++i) {
      EXPECT_EQ(task_.source_tokenizer->encode(split.source_texts[i]), example_of(split, i).source);
      EXPECT_EQ(task_.target_tokenizer->encode(split.references[i]), example_of(split, i).target);
    }
  }
}

TEST_P(SyntheticSplits, no_two_splits_share_a_source) {
  std::set<std::vector<TokenId>> seen;
  for (const Split& split : task_.splits) {
    if (split.name.starts_with("shots_")) {
      continue;  // few_shot has too few sources
    }
    std::set<std::vector<TokenId>> here;
    for (const Example& example : examples_of(split)) {
      here.insert(example.source);
    }
    for (const auto& source : here) {
      EXPECT_TRUE(seen.insert(source).second) << split.name;
    }
  }
}

TEST_P(SyntheticSplits, sizes_are_as_asked_for) {
  if (std::string_view(GetParam()) == "modular_arithmetic") {
    GTEST_SKIP() << "its sizes follow from its modulus: modular_arithmetic_test.cpp";
  }
  EXPECT_EQ(task_.split("train").size(), 3000);
  EXPECT_EQ(task_.split("validation").size(), 200);
  EXPECT_EQ(task_.split("test").size(), 300);
}

TEST_P(SyntheticSplits, the_seed_decides_everything) {
  EXPECT_EQ(make_task(small_task(GetParam()), {.seed = 1}).fingerprint, task_.fingerprint);
  EXPECT_NE(make_task(small_task(GetParam()), {.seed = 2}).fingerprint, task_.fingerprint);
}

TEST_P(SyntheticSplits, each_word_of_the_vocabulary_occurs) {
  std::set<TokenId> seen;
  for_each_example(task_, [&](const Split&, Index, const Example& example) {
    seen.insert(example.source.begin(), example.source.end());
    seen.insert(example.target.begin(), example.target.end());
  });
  EXPECT_GE(*seen.begin(), mark_count);
  EXPECT_EQ(static_cast<Index>(seen.size()), task_.source_tokenizer->size() - mark_count);
}

// Queries and keys are rows of the example, end mark included.
TEST_P(SyntheticSplits, relations_lie_within_the_example) {
  for_each_example(task_, [&](const Split& split, Index number, const Example& example) {
    const auto source_rows = static_cast<Index>(example.source.size()) + 1;
    const auto target_rows = static_cast<Index>(example.target.size()) + 1;
    for (const Relation& relation : split.source->relations(number)) {
      const Index queries = relation.side == RelationSide::source ? source_rows : target_rows;
      const Index keys = relation.side == RelationSide::target ? target_rows : source_rows;
      EXPECT_TRUE(std::ranges::is_sorted(relation.pairs, {}, &PositionPair::query));
      for (const PositionPair& pair : relation.pairs) {
        EXPECT_TRUE(pair.query >= 0 && pair.query < queries && pair.key >= 0 && pair.key < keys);
      }
    }
  });
}

TEST(Relations, a_task_that_knows_of_none_has_none) {
  EXPECT_EQ(pair_source(Examples(1), {})->relations(0), Relations{});
}

}}  // namespace tapehead
