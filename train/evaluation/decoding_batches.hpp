// The batches in which outputs are computed: of similar lengths, and as many for each worker.
#pragma once

#include <utility>
#include <vector>

#include "datasets/sequence.hpp"

namespace tapehead {

// The default batch size of `translate`, in source tokens of all hypotheses.
inline constexpr Index decoding_batch_tokens = 2048;

// The example numbers of each batch, the longest examples first. `batch_tokens`: the largest number
// of tokens in a batch, where an example counts once for each hypothesis of its beam.
std::vector<std::vector<Index>> decoding_batches(const Source& source, Index batch_tokens,
                                                 Index beam, Index workers);

// The results of the examples in the order of the source. `parts`: those of each batch, in its
// order.
template <class T>
std::vector<T> in_split_order(const std::vector<std::vector<Index>>& batches,
                              std::vector<std::vector<T>> parts, Index examples) {
  std::vector<T> results(static_cast<std::size_t>(examples));
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t i = 0; i < batches[b].size(); ++i) {
      results[static_cast<std::size_t>(batches[b][i])] = std::move(parts[b][i]);
    }
  }
  return results;
}

}  // namespace tapehead
