#include "train/step/slices.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Consecutive slices of about the same size that cover the whole store. Each ends at the nearest of
// `edges`, ascending indices into the store's memory, or at its size; some may be empty.
std::vector<Slice> cut_into_slices(Index size, std::span<const Index> edges, Index count) {
  std::vector<Slice> slices;
  Index begin = 0;
  for (Index i = 1; i <= count; ++i) {
    const Index wanted = size * i / count;
    const auto next = std::ranges::lower_bound(edges, wanted);
    Index end = next == edges.end() || i == count ? size : *next;
    if (i < count && next != edges.begin() && wanted - *std::prev(next) <= end - wanted) {
      end = *std::prev(next);
    }
    slices.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return slices;
}

constexpr Index chunk_size = 16384;

// The trained parts of the blocks; adjacent parameters of a block form one range.
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

}  // namespace

Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index slices) {
  Chunks chunks;
  std::vector<Index> begins;
  std::vector<Index> edges;
  for (const BlockRange& range : trained_ranges(store)) {
    const ParameterKind kind = store.kind_of(range.block);
    const bool in_matrix = traits_of(options.optimizer).updates_whole(kind);
    for (Index done = 0; done < range.count; done += chunk_size) {
      begins.push_back(store.block_begin(range.block) + range.offset + done);
      if (!in_matrix || chunks.all.empty() || chunks.all.back().range.block != range.block) {
        edges.push_back(begins.back());
      }
      chunks.all.push_back(
          {.range = {.block = range.block,
                     .offset = range.offset + done,
                     .count = std::min(chunk_size, range.count - done)},
           .weight_decay = static_cast<Scalar>(weight_decay_of(options, kind)),
           .in_matrix = in_matrix,
           .rate = static_cast<Scalar>(kind == ParameterKind::gate ? options.gate_rate : 1)});
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
