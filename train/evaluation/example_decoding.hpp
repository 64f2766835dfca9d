// Decodes many examples: sources of similar lengths share a batch, and batches are spread over a
// team.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "datasets/sequence.hpp"
#include "nn/generation/decoding.hpp"
#include "nn/generation/ensemble.hpp"
#include "train/step/team.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The default batch size of `translate`, in source tokens of all hypotheses.
inline constexpr Index decoding_batch_tokens = 2048;

// The example numbers of each batch, of similar lengths, the longest examples first, and as many
// batches for each worker. `batch_tokens`: the largest number of tokens in a batch, where an
// example counts once for each hypothesis of its beam.
std::vector<std::vector<Index>> decoding_batches(const Source& source, Index batch_tokens,
                                                 Index beam, Index workers);

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

// A model, and the examples as it reads them.
struct ModelAndSource {
  EnsembleMember model;
  std::shared_ptr<const Source> source;
};

// The best outputs for each example's source, in the order of the sources, which are of the same
// examples. A source without tokens has one output, also without tokens. `batch_tokens`: the
// largest number of source tokens in a batch, where a source counts once for each hypothesis of its
// beam. Outputs do not depend on the batches, so the batches are chosen to give each worker of the
// team the same number. Where labels are given in one pass, the first model gives each example one
// output: a class, or the labels of its tokens.
std::vector<std::vector<Hypothesis>> decode_examples(std::span<const ModelAndSource> models,
                                                     Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     const Team& team);

// By one model.
std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Source& source, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     const Team& team);

}}  // namespace tapehead::TAPEHEAD_PRECISION
