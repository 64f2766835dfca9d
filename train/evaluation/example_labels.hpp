// The labels that a model gives to examples, in one pass: a class, or a label for each token.
#pragma once

#include <vector>

#include "core/kernel/workers.hpp"
#include "core/ranks/ranks.hpp"
#include "datasets/task.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct LikelyLabel {
  TokenId label = 0;
  double probability = 0;
};

// Of one row: the most likely first.
using RowLabels = std::vector<LikelyLabel>;

// For each example, in the order of the split, its labelled rows with their `count` most likely
// labels, or all there are. Examples of similar lengths share a batch of at most `batch_tokens`
// tokens, and batches run in parallel, on all ranks.
std::vector<std::vector<RowLabels>> label_examples(const Transformer& model,
                                                   const ParameterStore& store, const Split& split,
                                                   Index batch_tokens, Index count,
                                                   Workers& workers, Ranks& ranks = alone());

}}  // namespace tapehead::TAPEHEAD_PRECISION
