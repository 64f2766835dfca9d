// The task brackets, checked by removing pairs until nothing is left.
#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::string joined(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  return join(entries_of(tokenizer, tokens), "");
}

// Removes all "()", "[]" and "{}" repeatedly. The number of rounds until the text is empty is its
// depth; -1 if something is left.
int depth_of(std::string text) {
  int depth = 0;
  for (; !text.empty(); ++depth) {
    std::string left;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view pair = std::string_view(text).substr(i, 2);
      if (pair == "()" || pair == "[]" || pair == "{}") {
        ++i;
      } else {
        left += text[i];
      }
    }
    if (left.size() == text.size()) {
      return -1;
    }
    text = left;
  }
  return depth;
}

bool opens(char bracket) { return std::string_view("([{").find(bracket) != std::string::npos; }

TEST(Brackets, are_well_formed_targets_of_sources_that_hide_what_closes_and_relate_partners) {
  const Task task = make_task(small_task("brackets"), {.seed = 1});
  const std::set<std::string> partners{"()", "[]", "{}"};
  std::set<std::size_t> lengths;
  std::set<int> depths;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const std::string target = joined(*task.target_tokenizer, example.target);
    std::string hidden = target;
    std::ranges::replace_if(hidden, [](char bracket) { return !opens(bracket); }, '|');
    EXPECT_EQ(joined(*task.source_tokenizer, example.source), hidden);
    depths.insert(depth_of(target));
    lengths.insert(target.size());

    const Relations relations = split.source->relations(number);
    const auto answers = pairs_of(relations, "answer", RelationSide::across);
    ASSERT_EQ(answers.size(), target.size());
    std::vector<PositionPair> same;
    std::vector<PositionPair> closing;
    for (const auto& [query, key] : answers) {
      const auto from = static_cast<std::size_t>(key);
      const auto to = static_cast<std::size_t>(query);
      same.push_back({query, query});
      if (opens(target[to])) {
        EXPECT_EQ(key, query);
        continue;
      }
      closing.push_back({query, key});
      EXPECT_TRUE(partners.contains({target[from], target[to]}));
      EXPECT_GE(depth_of(target.substr(from + 1, to - from - 1)), 0) << "between partners";
    }
    EXPECT_EQ(pairs_of(relations, "bracket", RelationSide::across), same);
    EXPECT_EQ(pairs_of(relations, "partner", RelationSide::source), closing);
  });
  EXPECT_THAT(lengths, ElementsAre(4, 6, 8, 10, 12, 14));
  EXPECT_THAT(depths, IsSubsetOf({1, 2, 3}));
  EXPECT_THAT(depths, Contains(3));
}

TEST(Brackets, the_kinds_are_as_many_as_asked_for) {
  TaskOptions options = small_task("brackets");
  task_option(options, "kinds") = 4;
  task_option(options, "max_depth") = 1;
  const Task task = make_task(options, {.seed = 1});
  EXPECT_EQ(task.source_tokenizer->size(), mark_count + 9);
  EXPECT_EQ(task.source_tokenizer->decode({3, 4, 5, 6, 7, 8, 9, 10, 11}), "( [ { < ) ] } > |");
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    const std::string source = joined(*task.source_tokenizer, example.source);
    for (std::size_t i = 0; i < source.size(); ++i) {
      EXPECT_EQ(source[i] == '|', i % 2 == 1);  // depth 1: open, close, open, close
    }
  });
}

}}  // namespace tapehead
