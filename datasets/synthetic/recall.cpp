// The task recall: facts (a key and its value each), a gap of other tokens, and the key of one fact
// again, which asks for the value of that fact.
//
//   k3 v1 k0 v8 . 5 . 2 k3   ->   k3 v1        (the dots stand for more of the gap)
//
// Like induction the task needs two layers of attention: each value learns which key is before it,
// and the row that has written the key attends to the value after that key, across the gap. Every
// fact is asked for equally often, so its place gives no information.

#include "datasets/synthetic/splits.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct RecallOptions {
  Index vocabulary = 16;
  Index facts = 4;
  Index min_gap = 1;
  Index max_gap = 16;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"vocabulary", "number of keys, of values, and of tokens for the gap", 1, 10000},
          vocabulary);
    visit(Field{"facts", "keys with their values, before the gap", 1, 10000}, facts);
    visit(Field{"min_gap", "fewest tokens between the last fact and the question", 0, 100000,
                "tokens"},
          min_gap);
    visit(
        Field{"max_gap", "most tokens between the last fact and the question", 0, 100000, "tokens"},
        max_gap);
  }
};

// Entries are `vocabulary` keys, as many values, and as many tokens for the gap.
Example draw(RandomSource& random, const Lengths& gaps, const RecallOptions& options) {
  const Index vocabulary = options.vocabulary;
  Example example;
  for (const Index key : random.different(options.facts, vocabulary)) {
    example.source.push_back(entry_id(key));
    example.source.push_back(entry_id(vocabulary + random.below(vocabulary)));
  }
  const auto asked = static_cast<std::size_t>(2 * random.below(options.facts));
  for (Index gap = gaps.draw(random); gap > 0; --gap) {
    example.source.push_back(entry_id(2 * vocabulary + random.below(vocabulary)));
  }
  example.target = {example.source[asked], example.source[asked + 1]};
  example.source.push_back(example.source[asked]);
  return example;
}

Relations relations(const Example& example, Index facts) {
  Relation key{.name = "key", .side = RelationSide::source};
  for (Index fact = 0; fact < facts; ++fact) {
    key.pairs.push_back({2 * fact + 1, 2 * fact});
  }
  const auto length = static_cast<Index>(example.source.size());
  const Index asked =
      std::ranges::find(example.source, example.source.back()) - example.source.begin();
  return {key,
          {.name = "question", .side = RelationSide::across, .pairs = {{0, length - 1}}},
          {.name = "answer", .side = RelationSide::across, .pairs = {{1, asked + 1}}}};
}

std::optional<Violation> does_not_fit(const TaskOptions& options) {
  const auto& task = options.as<RecallOptions>();
  if (task.min_gap > task.max_gap) {
    return Violation{{"task.min_gap", "task.max_gap"},
                     fmt::format("more than task.max_gap ({}, {})", task.min_gap, task.max_gap)};
  }
  if (task.facts <= task.vocabulary) {
    return {};
  }
  return Violation{{"task.facts", "task.vocabulary"},
                   fmt::format("more facts than there are keys ({}, task.vocabulary {})",
                               task.facts, task.vocabulary)};
}

constexpr std::array rules{
    TaskRule{"`task.min_gap` is at most `task.max_gap`, and `task.facts` at most the "
             "`task.vocabulary` of `recall`.",
             does_not_fit}};

LongestSide longest(const TaskOptions& options) {
  const auto& recall = options.as<RecallOptions>();
  return {.tokens = 2 * recall.facts + recall.max_gap + 1, .option = "task.max_gap"};
}

void shrink(TaskOptions& task, const Shrinking& shrinking) {
  constexpr Index most = Shrinking::most_tokens;
  auto& recall = task.as<RecallOptions>();
  shrinking.splits(task.as<SplitSizes>());
  shrinking.at_most("task.facts", recall.facts, most / 4);
  shrinking.at_most("task.vocabulary", recall.vocabulary, Shrinking::most_symbols, recall.facts);
  shrinking.at_most("task.min_gap", recall.min_gap, most / 2);
  shrinking.at_most("task.max_gap", recall.max_gap, most / 2, recall.min_gap);
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto recall = options.as<RecallOptions>();
  const SyntheticTask kind{
      .tokenizer = numbered_tokenizer(
          {{"k{}", recall.vocabulary}, {"v{}", recall.vocabulary}, {"{}", recall.vocabulary}}),
      .draw = [recall](RandomSource& random,
                       const Lengths& gaps) { return draw(random, gaps, recall); },
      .relations = [facts =
                        recall.facts](const Example& example) { return relations(example, facts); },
      .sources =
          fmt::format("sequences of {} facts out of {} keys and values with gaps of {} to {}",
                      recall.facts, recall.vocabulary, recall.min_gap, recall.max_gap),
      .remedy = "task.vocabulary or task.max_gap"};
  return make_splits(kind, {options.as<SplitSizes>(), {recall.min_gap, recall.max_gap}}, making);
}

}  // namespace

extern constinit const TaskKind recall_task{.name = "recall",
                                            .options = options_of<RecallOptions, SplitSizes>,
                                            .rules = rules,
                                            .longest = longest,
                                            .shrink = shrink,
                                            .make = make};

}  // namespace tapehead
