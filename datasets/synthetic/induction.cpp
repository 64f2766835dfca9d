// The task induction: `... A B ... A` asks for `A B`, where B is what followed A before.
//
// The last symbol occurs exactly once before, at any place; all other symbols differ from it. The
// task needs two layers of attention (Olsson et al. 2022). In the first layer, the row of B learns
// that A precedes it. In the second layer, the row that has written A attends to the row that A
// precedes. A single layer can only compare A with the symbols: it finds A, but not B.

#include "datasets/synthetic/symbols.hpp"

namespace tapehead {

namespace {

// Any symbol except `other`.
TokenId draw_other(RandomSource& random, Index vocabulary, TokenId other) {
  const TokenId symbol = entry_id(random.below(vocabulary - 1));
  return symbol < other ? symbol : symbol + 1;
}

Example draw(RandomSource& random, const Lengths& lengths, Index vocabulary) {
  const Index length = lengths.draw(random);
  const TokenId asked = entry_id(random.below(vocabulary));
  const auto place = static_cast<std::size_t>(random.below(length - 2));
  Example example;
  example.source.resize(static_cast<std::size_t>(length), asked);
  for (std::size_t i = 0; i + 1 < example.source.size(); ++i) {
    if (i != place) {
      example.source[i] = draw_other(random, vocabulary, asked);
    }
  }
  example.target = {asked, example.source[place + 1]};
  return example;
}

Relations relations(const Example& example) {
  const auto length = static_cast<Index>(example.source.size());
  const Index before =
      std::ranges::find(example.source, example.source.back()) - example.source.begin();
  return {one_back(RelationSide::source, length + 1),
          {.name = "question", .side = RelationSide::across, .pairs = {{0, length - 1}}},
          {.name = "answer", .side = RelationSide::across, .pairs = {{1, before + 1}}}};
}

std::optional<Violation> no_room(const TaskOptions& options) {
  constexpr Index least = 3;
  const auto& task = options.as<SyntheticOptions>();
  if (task.min_length < least) {
    return Violation{{"task.min_length", "task.name"},
                     fmt::format("too short for `A B A`, the shortest source of induction ({}; "
                                 "allowed: {} or more)",
                                 task.min_length, least)};
  }
  if (task.vocabulary >= least) {
    return {};
  }
  return Violation{
      {"task.vocabulary", "task.name"},
      fmt::format("with so few symbols the answer of induction is always the same ({}; "
                  "allowed: {} or more)",
                  task.vocabulary, least)};
}

constexpr auto rules = symbol_rules_and(
    {"`induction` has a `task.min_length` and a `task.vocabulary` of at least 3.", no_room});

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& symbols = options.as<SyntheticOptions>();
  const auto draw_one = [vocabulary = symbols.vocabulary](RandomSource& random,
                                                          const Lengths& lengths) {
    return draw(random, lengths, vocabulary);
  };
  return make_symbol_task(symbols, draw_one, relations, making);
}

}  // namespace

extern constinit const TaskKind induction_task =
    symbol_kind("induction", make, options_of<SyntheticOptions>, rules);

}  // namespace tapehead
