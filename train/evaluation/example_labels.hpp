// The labels that a model gives to examples, in one pass: a class, or a label for each token.
#pragma once

#include <vector>

#include "datasets/sequence.hpp"
#include "nn/generation/ensemble.hpp"
#include "train/step/team.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct LikelyLabel {
  TokenId label = 0;
  double probability = 0;
};

// Of one row: the most likely first.
using RowLabels = std::vector<LikelyLabel>;

// For each example, in the order of the source, its labelled rows with their `count` most likely
// labels, or all there are. Examples of similar lengths share a batch of at most `batch_tokens`
// tokens, and batches are spread over the team.
std::vector<std::vector<RowLabels>> label_examples(const EnsembleMember& model,
                                                   const Source& source, Index batch_tokens,
                                                   Index count, const Team& team);

}}  // namespace tapehead::TAPEHEAD_PRECISION
