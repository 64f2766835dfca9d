// The batches of an epoch: each example once, in an order that depends only on (seed, epoch).
#pragma once

#include "datasets/task.hpp"

namespace tapehead {

// An epoch of training: its examples, and their numbers in each batch.
struct TrainingEpoch {
  std::shared_ptr<const Source> source;
  std::vector<std::vector<Index>> batches;

  Batch batch(std::size_t number) const { return pack(*source, batches[number]); }
};

// With a memory, the text is cut into lanes, and successive steps read successive windows of each
// lane. Throws DataError if the text is too short for the lanes, and ConfigError if it has several
// documents and windows may not cross their ends.
TrainingEpoch training_epoch(const Task& task, const Batching& batching, std::uint64_t seed,
                             Index epoch);

Index lanes_of_batch(Index batch_tokens, Index context);

// The numbers of the examples of each batch of an epoch, shuffled by (seed, epoch).
std::vector<std::vector<Index>> epoch_batches(const Source& source, const Batching& batching,
                                              std::uint64_t seed, Index epoch);

// Batches for evaluation, of at most `batch_tokens` tokens (Batching::tokens). They are not
// shuffled: examples are sorted by length, so that the largest batch comes first.
std::vector<std::vector<Index>> ordered_batches(const Source& source, Index batch_tokens);

}  // namespace tapehead
