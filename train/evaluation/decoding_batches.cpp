#include "train/evaluation/decoding_batches.hpp"

#include <algorithm>

#include "datasets/loader.hpp"

namespace tapehead {

namespace {

// The number of tokens in a batch, at most `most`, with which all workers get the same number of
// batches.
Index balanced_batch_tokens(const Source& source, Index most, Index workers) {
  Index all = 0;
  Index longest = 0;
  for (Index i = 0; i < source.size(); ++i) {
    const Index tokens = source.lengths(i).longer();
    all += tokens;
    longest = std::max(longest, tokens);
  }
  const Index rounds = std::max<Index>(1, (all + most * workers - 1) / (most * workers));
  return std::min(most, all / (rounds * workers) + longest);
}

}  // namespace

std::vector<std::vector<Index>> decoding_batches(const Source& source, Index batch_tokens,
                                                 Index beam, Index workers) {
  const Index most = std::max<Index>(1, batch_tokens / beam);
  return ordered_batches(source, balanced_batch_tokens(source, most, workers));
}

}  // namespace tapehead
