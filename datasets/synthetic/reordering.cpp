// The tasks copy, reverse and sort: write random sequences of symbols again, in some order.
#include <algorithm>
#include <utility>

#include "datasets/synthetic/symbols.hpp"

namespace tapehead {

namespace {

using Sequence = std::vector<TokenId>;

Sequence copied(Sequence source) { return source; }

Sequence reversed(Sequence source) {
  std::ranges::reverse(source);
  return source;
}

Sequence sorted(Sequence source) {
  std::ranges::sort(source);
  return source;
}

// Whether the symbol at `place` of the source is the one to write at `position`.
using IsSaid = bool(const Example& example, Index position, Index place);

bool same_place(const Example&, Index position, Index place) { return place == position; }

bool same_from_the_end(const Example& example, Index position, Index place) {
  return place == std::ssize(example.source) - 1 - position;
}

// For sorting, any place with the right symbol counts.
bool same_symbol(const Example& example, Index position, Index place) {
  return example.source[static_cast<std::size_t>(place)] ==
         example.target[static_cast<std::size_t>(position)];
}

template <IsSaid is_said>
Relations relations(const Example& example) {
  Relation said{.name = "answer", .side = RelationSide::across, .pairs = {}};
  const auto length = static_cast<Index>(example.source.size());
  for (Index position = 0; position < length; ++position) {
    for (Index place = 0; place < length; ++place) {
      if (is_said(example, position, place)) {
        said.pairs.push_back({position, place});
      }
    }
  }
  return {said};
}

template <Sequence answer(Sequence), IsSaid is_said>
Task make(const TaskOptions& options, std::uint64_t seed, const std::filesystem::path& tokenizers) {
  const auto& symbols = options.as<SyntheticOptions>();
  return make_symbol_task(symbols, draw_symbols(symbols.vocabulary, answer), relations<is_said>,
                          seed, tokenizers);
}

}  // namespace

extern constinit const TaskKind copy_task = symbol_kind("copy", make<copied, same_place>);
extern constinit const TaskKind reverse_task =
    symbol_kind("reverse", make<reversed, same_from_the_end>);
extern constinit const TaskKind sort_task = symbol_kind("sort", make<sorted, same_symbol>);

}  // namespace tapehead
