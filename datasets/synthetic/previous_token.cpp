// The task previous_token: a sequence of symbols, said again one place later. The first place has
// nothing before it and says symbol 0.
//
// One head that looks one back in the source is all it takes.
#include <algorithm>

#include "datasets/synthetic/splits.hpp"
#include "datasets/tasks.hpp"

namespace tapehead {

namespace {

using Sequence = std::vector<TokenId>;

Sequence answer(Sequence sequence) {
  if (!sequence.empty()) {
    std::ranges::rotate(sequence, sequence.end() - 1);
    sequence.front() = mark_count;
  }
  return sequence;
}

Relations relations(const Example& example) {
  return {one_back(RelationSide::across, static_cast<Index>(example.target.size()))};
}

}  // namespace

Task make_previous_token(const TaskOptions& options, std::uint64_t seed,
                         const std::filesystem::path& tokenizers) {
  const SyntheticOptions& synthetic = options.synthetic;
  return make_splits(symbol_task(synthetic, draw_symbols(synthetic.vocabulary, answer), relations),
                     splits_of(synthetic), seed, tokenizers);
}

}  // namespace tapehead
