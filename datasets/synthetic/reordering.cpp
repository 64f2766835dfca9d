// The tasks copy, reverse and sort: random sequences of symbols, said again in some order.
#include <algorithm>
#include <utility>

#include "datasets/synthetic/splits.hpp"
#include "datasets/tasks.hpp"

namespace tapehead {

namespace {

using Sequence = std::vector<TokenId>;

Sequence answer(TaskName task, Sequence sequence) {
  if (task == TaskName::reverse) {
    std::ranges::reverse(sequence);
  }
  if (task == TaskName::sort) {
    std::ranges::sort(sequence);
  }
  return sequence;
}

// Whether the symbol at `place` of a sequence of `length` is the one said at `position`. To sort
// is to look for a symbol, wherever it stands.
bool is_said(TaskName task, const Example& example, Index position, Index place) {
  const auto length = static_cast<Index>(example.source.size());
  switch (task) {
    case TaskName::copy:
      return place == position;
    case TaskName::reverse:
      return place == length - 1 - position;
    default:
      return example.source[static_cast<std::size_t>(place)] ==
             example.target[static_cast<std::size_t>(position)];
  }
}

Relations relations(TaskName task, const Example& example) {
  Relation said{.name = "answer", .side = RelationSide::across, .pairs = {}};
  const auto length = static_cast<Index>(example.source.size());
  for (Index position = 0; position < length; ++position) {
    for (Index place = 0; place < length; ++place) {
      if (is_said(task, example, position, place)) {
        said.pairs.push_back({position, place});
      }
    }
  }
  return {said};
}

}  // namespace

Task make_reordering(const TaskOptions& options, std::uint64_t seed,
                     const std::filesystem::path& tokenizers) {
  const TaskName name = options.name;
  const DrawExample draw = draw_symbols(options.synthetic.vocabulary, [name](Sequence source) {
    return answer(name, std::move(source));
  });
  const SyntheticTask kind = symbol_task(
      options.synthetic, draw, [name](const Example& example) { return relations(name, example); });
  return make_splits(kind, splits_of(options.synthetic), seed, tokenizers);
}

}  // namespace tapehead
