// The batches in which outputs are computed: of similar lengths, and as many for each worker.
#pragma once

#include <vector>

#include "datasets/layout.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// The default batch size of `translate`, in source tokens of all hypotheses.
inline constexpr Index decoding_batch_tokens = 2048;

// The example numbers of each batch, the longest examples first. `batch_tokens`: the largest number
// of tokens in a batch, where an example counts once for each hypothesis of its beam.
std::vector<std::vector<Index>> decoding_batches(const Split& split, Index batch_tokens, Index beam,
                                                 Index workers, const Layout& layout);

}  // namespace tapehead
