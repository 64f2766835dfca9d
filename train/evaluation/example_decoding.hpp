// Decodes many examples, in batches of similar lengths that are spread over a team.
#pragma once

#include "core/ranks/ranks.hpp"
#include "datasets/sequence.hpp"
#include "nn/generation/decoding.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The default batch size of `translate`, in source tokens of all hypotheses.
inline constexpr Index decoding_batch_tokens = 2048;

// The example numbers of each batch: of similar lengths, the longest first. All workers get the
// same number of batches. `batch_tokens`: the most tokens of a batch, each counted `beam` times.
std::vector<std::vector<Index>> decoding_batches(const Source& source, Index batch_tokens,
                                                 Index beam, Index workers);

struct LikelyLabel {
  TokenId label = 0;
  double probability = 0;
};

using RowLabels = std::vector<LikelyLabel>;    // of one row: the most likely first
using ExampleLabels = std::vector<RowLabels>;  // of the labelled rows of an example

// For each example, in the order of the source: its labelled rows, each with its `count` most
// likely labels (or all labels). The batches of decoding_batches() are spread over the team.
std::vector<ExampleLabels> label_examples(const EnsembleMember& model, const Source& source,
                                          Index batch_tokens, Index count, const Team& team);

// A model, and the examples in the form that it reads.
struct ModelAndSource {
  EnsembleMember model;
  std::shared_ptr<const Source> source;
};

// The best outputs for each example, in the order of the sources, which all have the same examples.
// A source without tokens has one output, also without tokens. `batch_tokens` is as in
// decoding_batches(); outputs do not depend on it. If labels are given in one pass, only the first
// model is used, and each example has one output: a class, or the labels of its tokens.
Outputs decode_examples(std::span<const ModelAndSource> models, Index batch_tokens,
                        const DecodingOptions& options, const Team& team);

Outputs decode_examples(const Transformer& model, const ParameterStore& store, const Source& source,
                        Index batch_tokens, const DecodingOptions& options, const Team& team);

}}  // namespace tapehead::TAPEHEAD_PRECISION
