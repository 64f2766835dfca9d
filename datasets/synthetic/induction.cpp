// The task induction: `... A B ... A` asks for `A B`, where B is what followed A before.
//
// The last symbol occurs exactly once before, at any place; all other symbols differ from it. The
// task needs two layers of attention (Olsson et al. 2022). In the first layer, the row of B learns
// that A precedes it. In the second layer, the row that has written A attends to the row that A
// precedes. A single layer can only compare A with the symbols: it finds A, but not B.

#include "datasets/synthetic/symbols.hpp"

namespace tapehead {

namespace {

Example draw(Index vocabulary, RandomSource& random, const Lengths& lengths) {
  const Index length = lengths.draw(random);
  const TokenId asked = entry_id(random.below(vocabulary));
  const auto place = static_cast<std::size_t>(random.below(length - 2));
  Example example;
  example.source.resize(static_cast<std::size_t>(length), asked);
  for (std::size_t i = 0; i + 1 < example.source.size(); ++i) {
    if (i != place) {
      // Any symbol except the one that is asked for.
      const TokenId symbol = entry_id(random.below(vocabulary - 1));
      example.source[i] = symbol < asked ? symbol : symbol + 1;
    }
  }
  example.target = {asked, example.source[place + 1]};
  return example;
}

Relations relations(const Example& example) {
  return with_answer(one_back(RelationSide::source, std::ssize(example.source) + 1), example);
}

constexpr std::array rules{
    symbol_rules[0], symbol_rules[1],
    TaskRule{"`induction` has a `task.min_length` and a `task.vocabulary` of at least 3.",
             [](const TaskOptions& options) {
               const auto& task = options.as<SyntheticOptions>();
               return first_violation(
                   {violation_if(task.min_length < 3, {"task.min_length", "task.name"},
                                 "too short for `A B A`, the shortest source of induction ({}; "
                                 "allowed: 3 or more)",
                                 task.min_length),
                    violation_if(task.vocabulary < 3, {"task.vocabulary", "task.name"},
                                 "with so few symbols the answer of induction is always the same "
                                 "({}; allowed: 3 or more)",
                                 task.vocabulary)});
             }}};

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& symbols = options.as<SyntheticOptions>();
  return make_symbol_task(symbols, std::bind_front(draw, symbols.vocabulary), relations, making);
}

}  // namespace

extern constinit const TaskKind induction_task =
    symbol_kind("induction", make, options_of<SyntheticOptions>, rules);

}  // namespace tapehead
