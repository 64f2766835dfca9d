// The loader makes the batches of an epoch: each example once, in an order that depends only on
// (seed, epoch).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "datasets/batching.hpp"
#include "datasets/sources.hpp"

namespace tapehead {

// An epoch of training: the split as this epoch draws it, and the example numbers of each batch.
struct TrainingEpoch {
  std::shared_ptr<const Split> split;
  std::vector<std::vector<Index>> batches;
};

// With a memory, the epoch's text is cut into lanes, whose windows follow each other in successive
// steps. Throws DataError if the text is too short for them, and ConfigError if it is several
// documents that windows may not leave.
TrainingEpoch training_epoch(const Task& task, const Batching& batching, std::uint64_t seed,
                             Index epoch, const Layout& layout = {});

// How many lanes a batch has.
Index lanes_of_batch(Index batch_tokens, Index context);

// Throws ConfigError, with the option that asks for a memory, if the split is several documents
// that windows may not leave.
void expect_one_stream(const Split& split, std::string_view option);

// The first so many windows of a split in lanes (lane_windows), for a model that remembers `memory`
// rows; without what else the split has.
Split in_lanes(const Split& split, Index windows, Index lanes, Index memory, Index head);

// The example numbers of each batch of an epoch, shuffled by (seed, epoch).
std::vector<std::vector<Index>> epoch_batches(const Split& split, const Batching& batching,
                                              std::uint64_t seed, Index epoch,
                                              const Layout& layout = {});

// Batches for evaluation, of at most `batch_tokens` tokens (Batching::tokens). They are not
// shuffled: examples are sorted by length, so that the largest batch comes first.
std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens,
                                                const Layout& layout = {});

}  // namespace tapehead
