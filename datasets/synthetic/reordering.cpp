// The tasks copy, reverse and sort write random sequences of symbols in the same, reversed or
// sorted order. The task previous_token copies a sequence, shifted by one place; its first target
// is symbol 0. For previous_token, one head that attends to the previous place is enough.

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

Sequence shifted(Sequence source) {
  if (!source.empty()) {
    std::ranges::rotate(source, source.end() - 1);
    source.front() = mark_count;
  }
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
Relations written(const Example& example) {
  Relation said{.name = "answer", .side = RelationSide::across};
  const auto length = std::ssize(example.source);
  for (Index position = 0; position < length; ++position) {
    for (Index place = 0; place < length; ++place) {
      if (is_said(example, position, place)) {
        said.pairs.push_back({position, place});
      }
    }
  }
  return {said};
}

Relations previous(const Example& example) {
  return {one_back(RelationSide::across, std::ssize(example.target))};
}

template <Sequence answer(Sequence), Relations relations(const Example&)>
Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& symbols = options.as<SyntheticOptions>();
  return make_symbol_task(symbols, draw_symbols(symbols.vocabulary, answer), relations, making);
}

}  // namespace

extern constinit const TaskKind copy_task = symbol_kind("copy", make<copied, written<same_place>>);
extern constinit const TaskKind reverse_task =
    symbol_kind("reverse", make<reversed, written<same_from_the_end>>);
extern constinit const TaskKind sort_task = symbol_kind("sort", make<sorted, written<same_symbol>>);
extern constinit const TaskKind previous_token_task =
    symbol_kind("previous_token", make<shifted, previous>);

}  // namespace tapehead
