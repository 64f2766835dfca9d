#include "train/step/chunks.hpp"

#include <algorithm>

#include "train/options/optimizer_kinds.hpp"
#include "train/options/weight_decay.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Index chunk_size = 16384;

std::vector<Chunk> chunks_of_block(const ParameterStore& store, const TrainingOptions& options,
                                   Index block) {
  const ParameterKind kind = store.kind_of(block);
  std::vector<Chunk> chunks;
  for (Index offset = 0; offset < store.block_size(block); offset += chunk_size) {
    chunks.push_back({.range = {.block = block,
                                .offset = offset,
                                .count = std::min(chunk_size, store.block_size(block) - offset)},
                      .weight_decay = static_cast<Scalar>(weight_decay_of(options, kind)),
                      .in_matrix = traits_of(options.optimizer).updates_whole(kind)});
  }
  return chunks;
}

}  // namespace

Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index ranks) {
  Chunks chunks;
  std::vector<Index> begins;
  std::vector<Index> edges;
  for (Index block = 0; block < store.blocks(); ++block) {
    for (const Chunk& chunk : chunks_of_block(store, options, block)) {
      chunks.all.push_back(chunk);
      begins.push_back(store.block_begin(block) + chunk.range.offset);
      if (!chunk.in_matrix || chunk.range.offset == 0) {
        edges.push_back(begins.back());
      }
    }
  }
  chunks.slices = cut_into_slices(store.size(), edges, ranks);
  for (const Slice& slice : chunks.slices) {
    chunks.first_of_rank.push_back(std::ranges::lower_bound(begins, slice.begin) - begins.begin());
  }
  chunks.first_of_rank.push_back(std::ssize(chunks.all));
  return chunks;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
