// Properties of the splits and relations of every synthetic task.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class SyntheticSplits : public TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Tasks, SyntheticSplits, ValuesIn(synthetic_names()),
                         [](const auto& task) { return task.param; });

TEST_P(SyntheticSplits, have_their_sizes_and_texts_and_share_no_source_by_seed) {
  const Task task = make_task(small_task(GetParam()), {.seed = 1});
  EXPECT_EQ(make_task(small_task(GetParam()), {.seed = 1}).fingerprint, task.fingerprint);
  EXPECT_NE(make_task(small_task(GetParam()), {.seed = 2}).fingerprint, task.fingerprint);
  if (GetParam() != "modular_arithmetic") {  // whose sizes follow from its modulus
    EXPECT_EQ(task.split("train").size(), 3000);
    EXPECT_EQ(task.split("validation").size(), 200);
    EXPECT_EQ(task.split("test").size(), 300);
  }
  std::map<std::vector<TokenId>, std::string> split_of;  // by source
  std::set<TokenId> seen;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const auto& [source, target] = example;
    seen.insert(source.begin(), source.end());
    seen.insert(target.begin(), target.end());
    if (!split.name.starts_with("shots_")) {  // few_shot has too few sources
      EXPECT_EQ(split_of.emplace(source, split.name).first->second, split.name);
    }
    if (split.name != "train") {
      const auto i = static_cast<std::size_t>(number);
      EXPECT_EQ(task.source_tokenizer->encode(split.source_texts.at(i)), source);
      EXPECT_EQ(task.target_tokenizer->encode(split.references.at(i)), target);
    }
    // Queries and keys are rows of the example, end mark included.
    const Index source_rows = std::ssize(source) + 1;
    const Index target_rows = std::ssize(target) + 1;
    for (const Relation& relation : split.source->relations(number)) {
      const Index queries = relation.side == RelationSide::source ? source_rows : target_rows;
      const Index keys = relation.side == RelationSide::target ? target_rows : source_rows;
      EXPECT_TRUE(std::ranges::is_sorted(relation.pairs, {}, &PositionPair::query));
      for (const auto& [query, key] : relation.pairs) {
        EXPECT_TRUE(query >= 0 && query < queries && key >= 0 && key < keys);
      }
    }
  });
  for (const Split& split : task.splits) {
    if (split.name != "train") {
      EXPECT_EQ(std::ssize(split.source_texts), split.size());
      EXPECT_EQ(std::ssize(split.references), split.size());
    }
  }
  EXPECT_GE(*seen.begin(), mark_count);
  EXPECT_EQ(static_cast<Index>(seen.size()), task.source_tokenizer->size() - mark_count)
      << "each word occurs";
}

}}  // namespace tapehead
