// The task recall: facts, each a key and its value, then a gap of other tokens, then one of the
// keys again, which asks for its value.
//
//   k3 v1 k0 v8 . 5 . 2 k3   ->   k3 v1        (the dots stand for more of the gap)
//
// Like induction it takes two layers of attention: each value learns which key stands before it,
// and the row that has said the key looks for the value behind that key, as far away as the gap
// makes it. Every fact is asked for as often as the others, so its place tells nothing.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "datasets/synthetic/splits.hpp"
#include "datasets/tasks.hpp"
#include "datasets/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

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

// The first `count` of the numbers below `bound` in random order (Fisher and Yates).
std::vector<Index> draw_different(Dice& dice, Index count, Index bound) {
  std::vector<Index> numbers(static_cast<std::size_t>(bound));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  for (Index i = 0; i < count; ++i) {
    std::swap(numbers[static_cast<std::size_t>(i)],
              numbers[static_cast<std::size_t>(dice.between(i, bound - 1))]);
  }
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

Example draw(Dice& dice, const Lengths& gaps, const RecallOptions& options) {
  const Words words{options.vocabulary};
  Example example;
  for (const Index key : draw_different(dice, options.facts, options.vocabulary)) {
    example.source.push_back(words.key(key));
    example.source.push_back(words.value(dice.below(options.vocabulary)));
  }
  const auto asked = static_cast<std::size_t>(2 * dice.below(options.facts));
  for (Index gap = gaps.draw(dice); gap > 0; --gap) {
    example.source.push_back(words.filler(dice.below(options.vocabulary)));
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

}  // namespace

Task make_recall(const TaskOptions& options, std::uint64_t seed,
                 const std::filesystem::path& tokenizers) {
  const RecallOptions recall = options.recall;
  const SyntheticTask kind{
      .tokenizer = Words{recall.vocabulary}.tokenizer(),
      .draw = [recall](Dice& dice, const Lengths& gaps) { return draw(dice, gaps, recall); },
      .relations = [facts =
                        recall.facts](const Example& example) { return relations(example, facts); },
      .sources =
          fmt::format("sequences of {} facts out of {} keys and values with gaps of {} to {}",
                      recall.facts, recall.vocabulary, recall.min_gap, recall.max_gap),
      .remedy = "task.vocabulary or task.max_gap"};
  return make_splits(kind,
                     {.train = recall.train_examples,
                      .validation = recall.validation_examples,
                      .test = recall.test_examples,
                      .lengths = {recall.min_gap, recall.max_gap}},
                     seed, tokenizers);
}

}  // namespace tapehead
