// The task recall: facts, each a key and its value, then a gap of other tokens, then one of the
// keys again, which asks for its value.
//
//   k3 v1 k0 v8 . 5 . 2 k3   ->   k3 v1        (the dots stand for more of the gap)
//
// Like induction the task needs two layers of attention: each value learns which key is before it,
// and the row that has written the key attends to the value after that key, across the gap. Every
// fact is asked for equally often, so its place gives no information.
#include <algorithm>

#include <fmt/format.h>

#include "datasets/synthetic/splits.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

struct RecallOptions {
  Index vocabulary = 16;
  Index facts = 4;
  Index min_gap = 1;
  Index max_gap = 16;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "vocabulary",
                .help = "number of keys, of values, and of tokens for the gap",
                .minimum = 1,
                .maximum = 10000},
          vocabulary);
    visit(Field{.name = "facts",
                .help = "keys with their values, before the gap",
                .minimum = 1,
                .maximum = 10000},
          facts);
    visit(Field{.name = "min_gap",
                .help = "fewest tokens between the last fact and the question",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          min_gap);
    visit(Field{.name = "max_gap",
                .help = "most tokens between the last fact and the question",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          max_gap);
  }
};

// `vocabulary` keys, as many values, and as many tokens for the gap.
struct Words {
  Index vocabulary;

  TokenId key(Index number) const { return id(number); }
  TokenId value(Index number) const { return id(vocabulary + number); }
  TokenId filler(Index number) const { return id(2 * vocabulary + number); }

  std::shared_ptr<const Tokenizer> tokenizer() const {
    std::vector<std::string> entries;
    for (const std::string_view kind : {"k", "v", ""}) {
      for (Index number = 0; number < vocabulary; ++number) {
        entries.push_back(fmt::format("{}{}", kind, number));
      }
    }
    return std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(entries)), Unit::word);
  }

 private:
  static TokenId id(Index number) { return mark_count + static_cast<TokenId>(number); }
};

Example draw(RandomSource& random, const Lengths& gaps, const RecallOptions& options) {
  const Words words{options.vocabulary};
  Example example;
  for (const Index key : random.different(options.facts, options.vocabulary)) {
    example.source.push_back(words.key(key));
    example.source.push_back(words.value(random.below(options.vocabulary)));
  }
  const auto asked = static_cast<std::size_t>(2 * random.below(options.facts));
  for (Index gap = gaps.draw(random); gap > 0; --gap) {
    example.source.push_back(words.filler(random.below(options.vocabulary)));
  }
  example.target = {example.source[asked], example.source[asked + 1]};
  example.source.push_back(example.source[asked]);
  return example;
}

Relations relations(const Example& example, Index facts) {
  Relation key{.name = "key", .side = RelationSide::source, .pairs = {}};
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
      .tokenizer = Words{recall.vocabulary}.tokenizer(),
      .draw = [recall](RandomSource& random,
                       const Lengths& gaps) { return draw(random, gaps, recall); },
      .relations = [facts =
                        recall.facts](const Example& example) { return relations(example, facts); },
      .sources =
          fmt::format("sequences of {} facts out of {} keys and values with gaps of {} to {}",
                      recall.facts, recall.vocabulary, recall.min_gap, recall.max_gap),
      .remedy = "task.vocabulary or task.max_gap"};
  return make_splits(kind, splits_of(options.as<SplitSizes>(), {recall.min_gap, recall.max_gap}),
                     making);
}

}  // namespace

extern constinit const TaskKind recall_task{.name = "recall",
                                            .options = options_of<RecallOptions, SplitSizes>,
                                            .rules = rules,
                                            .longest = longest,
                                            .shrink = shrink,
                                            .make = make};

}  // namespace tapehead
