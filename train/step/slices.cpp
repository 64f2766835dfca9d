#include "train/step/slices.hpp"

#include "train/options/optimizer_kinds.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Of the edges, or the size.
Index nearest_edge(Index wanted, std::span<const Index> edges, Index size) {
  const auto next = std::ranges::lower_bound(edges, wanted);
  const Index after = next == edges.end() ? size : *next;
  const bool has_before = next != edges.begin();
  return has_before && wanted - *std::prev(next) <= after - wanted ? *std::prev(next) : after;
}

// Slices of about the same size, in order, which together are the whole store. They end at `edges`,
// numbers of the store's memory in ascending order, so some may be empty.
std::vector<Slice> cut_into_slices(Index size, std::span<const Index> edges, Index count) {
  std::vector<Slice> slices;
  Index begin = 0;
  for (Index i = 1; i <= count; ++i) {
    const Index end = i == count ? size : nearest_edge(size * i / count, edges, size);
    slices.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return slices;
}

constexpr Index chunk_size = 16384;

// The parts of the blocks that are trained: neighbours of one block are one range.
std::vector<BlockRange> trained_ranges(const ParameterStore& store) {
  std::vector<BlockRange> ranges;
  for (const NamedParameter& parameter : store.parameters()) {
    const Index offset = parameter.offset - store.block_begin(parameter.block);
    if (parameter.frozen) {
      continue;
    }
    const bool joins = !ranges.empty() && ranges.back().block == parameter.block &&
                       ranges.back().offset + ranges.back().count == offset;
    if (joins) {
      ranges.back().count += parameter.shape.size();
    } else {
      ranges.push_back(
          {.block = parameter.block, .offset = offset, .count = parameter.shape.size()});
    }
  }
  return ranges;
}

std::vector<Chunk> chunks_of_range(const ParameterStore& store, const TrainingOptions& options,
                                   const BlockRange& range) {
  const ParameterKind kind = store.kind_of(range.block);
  std::vector<Chunk> chunks;
  for (Index done = 0; done < range.count; done += chunk_size) {
    chunks.push_back({.range = {.block = range.block,
                                .offset = range.offset + done,
                                .count = std::min(chunk_size, range.count - done)},
                      .weight_decay = static_cast<Scalar>(weight_decay_of(options, kind)),
                      .in_matrix = traits_of(options.optimizer).updates_whole(kind)});
  }
  return chunks;
}

}  // namespace

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

Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index slices) {
  Chunks chunks;
  std::vector<Index> begins;
  std::vector<Index> edges;
  for (const BlockRange& range : trained_ranges(store)) {
    for (const Chunk& chunk : chunks_of_range(store, options, range)) {
      const bool first_of_block =
          chunks.all.empty() || chunks.all.back().range.block != range.block;
      chunks.all.push_back(chunk);
      begins.push_back(store.block_begin(range.block) + chunk.range.offset);
      if (!chunk.in_matrix || first_of_block) {
        edges.push_back(begins.back());
      }
    }
  }
  chunks.slices = cut_into_slices(store.size(), edges, slices);
  for (const Slice& slice : chunks.slices) {
    chunks.first_of_slice.push_back(std::ranges::lower_bound(begins, slice.begin) - begins.begin());
  }
  chunks.first_of_slice.push_back(std::ssize(chunks.all));
  return chunks;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
