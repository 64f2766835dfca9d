#include "train/step/slices.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Of the edges, or the size.
Index nearest_edge(Index wanted, std::span<const Index> edges, Index size) {
  const auto next = std::ranges::lower_bound(edges, wanted);
  const Index after = next == edges.end() ? size : *next;
  const bool has_before = next != edges.begin();
  return has_before && wanted - *std::prev(next) <= after - wanted ? *std::prev(next) : after;
}

}  // namespace

std::vector<Slice> cut_into_slices(Index size, std::span<const Index> edges, Index ranks) {
  std::vector<Slice> slices;
  Index begin = 0;
  for (Index rank = 1; rank <= ranks; ++rank) {
    const Index end = rank == ranks ? size : nearest_edge(size * rank / ranks, edges, size);
    slices.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return slices;
}

std::vector<BlockRange> blocks_in(const ParameterStore& store, const Slice& slice) {
  std::vector<BlockRange> ranges;
  for (Index block = 0; block < store.blocks(); ++block) {
    const Slice shared = slice_of(store, block).overlap(slice);
    if (shared.size() > 0 && !store.frozen(block)) {
      ranges.push_back({.block = block,
                        .offset = shared.begin - store.block_begin(block),
                        .count = shared.size()});
    }
  }
  return ranges;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
