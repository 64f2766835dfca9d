// The task induction: `... A B ... A` asks for `A B`, what followed the same symbol before.
//
// The last symbol occurs once more, anywhere before; the others are any that differ from it. It
// takes two layers of attention (Olsson et al. 2022): in the first, the row of B learns that A
// stands before it; in the second, the row that has said A looks for the row that has A before it.
// A single layer compares what says A with the symbols themselves, finds A, and does not know B.
#include <algorithm>

#include "datasets/synthetic/splits.hpp"
#include "datasets/tasks.hpp"

namespace tapehead {

namespace {

// A symbol, any but `other`.
TokenId draw_other(Dice& dice, Index vocabulary, TokenId other) {
  const TokenId symbol = mark_count + static_cast<TokenId>(dice.below(vocabulary - 1));
  return symbol < other ? symbol : symbol + 1;
}

Example draw(Dice& dice, const Lengths& lengths, Index vocabulary) {
  const Index length = lengths.draw(dice);
  const TokenId asked = mark_count + static_cast<TokenId>(dice.below(vocabulary));
  const auto place = static_cast<std::size_t>(dice.below(length - 2));
  Example example;
  example.source.resize(static_cast<std::size_t>(length), asked);
  for (std::size_t i = 0; i + 1 < example.source.size(); ++i) {
    if (i != place) {
      example.source[i] = draw_other(dice, vocabulary, asked);
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

}  // namespace

Task make_induction(const TaskOptions& options, std::uint64_t seed,
                    const std::filesystem::path& tokenizers) {
  const SyntheticOptions& synthetic = options.synthetic;
  const DrawExample draw_one = [vocabulary = synthetic.vocabulary](Dice& dice,
                                                                   const Lengths& lengths) {
    return draw(dice, lengths, vocabulary);
  };
  return make_splits(symbol_task(synthetic, draw_one, relations), splits_of(synthetic), seed,
                     tokenizers);
}

}  // namespace tapehead
