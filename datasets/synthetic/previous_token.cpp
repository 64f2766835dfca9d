// The task previous_token: copy a sequence of symbols, shifted by one place. The first place has
// nothing before it, and its target is symbol 0.
//
// One head that attends to the previous place of the source is enough.
#include <algorithm>

#include "datasets/synthetic/symbols.hpp"

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

Task make(const TaskOptions& options, std::uint64_t seed, const std::filesystem::path& tokenizers) {
  const auto& symbols = options.as<SyntheticOptions>();
  return make_symbol_task(symbols, draw_symbols(symbols.vocabulary, answer), relations, seed,
                          tokenizers);
}

}  // namespace

extern constinit const TaskKind previous_token_task = symbol_kind("previous_token", make);

}  // namespace tapehead
