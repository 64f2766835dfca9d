// The loader: the batches of an epoch, each example once, in an order that (seed, epoch) alone
// decide.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/batch.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// The examples laid end to end, in the given order, with marks added and targets shifted.
Batch make_batch(const Split& split, const std::vector<Index>& examples);

// Example numbers of each batch of an epoch. A batch holds at most `batch_tokens` tokens on its
// longer side (source with end mark, target with end mark), but at least one example. Shuffled by
// (seed, epoch), with neighbours of like length.
std::vector<std::vector<Index>> epoch_batches(const Split& split, Index batch_tokens,
                                              std::uint64_t seed, Index epoch);

// The same cut without shuffling, for evaluation: longest first, so that the largest batch comes
// first.
std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens);

}  // namespace tapehead
