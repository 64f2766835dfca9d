// The loader makes the batches of an epoch: each example once, in an order that depends only on
// (seed, epoch).
#pragma once

#include <cstdint>
#include <vector>

#include "core/sequence/batch.hpp"
#include "datasets/batching.hpp"
#include "datasets/layout.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// The rows of an example: of its context, of its input, and those of the input with a label.
struct ExampleRows {
  Index context = 0;
  Index input = 0;
  Index labels = 0;
};
ExampleRows example_rows(const Split& split, Index number, const Layout& layout);

// The examples one after another, in the given order: pairs with marks added and targets shifted,
// or windows of a text. In a text the layout has no effect.
Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout = {});

// What a model reads of these examples before it writes their targets.
Prompts make_prompts(const Split& split, const std::vector<Index>& examples, const Layout& layout);

// The example numbers of each batch of an epoch, shuffled by (seed, epoch).
std::vector<std::vector<Index>> epoch_batches(const Split& split, const Batching& batching,
                                              std::uint64_t seed, Index epoch,
                                              const Layout& layout = {});

// Batches for evaluation, of at most `batch_tokens` tokens (Batching::tokens). They are not
// shuffled: examples are sorted by length, so that the largest batch comes first.
std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens,
                                                const Layout& layout = {});

}  // namespace tapehead
