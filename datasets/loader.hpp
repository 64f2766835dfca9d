// The loader makes the batches of an epoch: each example once, in an order that depends only on
// (seed, epoch).
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/batch_layout.hpp"
#include "datasets/batching.hpp"

namespace tapehead {

// The example numbers of each batch of an epoch, shuffled by (seed, epoch).
std::vector<std::vector<Index>> epoch_batches(const Split& split, const Batching& batching,
                                              std::uint64_t seed, Index epoch,
                                              const Layout& layout = {});

// Batches for evaluation, of at most `batch_tokens` tokens (Batching::tokens). They are not
// shuffled: examples are sorted by length, so that the largest batch comes first.
std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens,
                                                const Layout& layout = {});

}  // namespace tapehead
