// Alignments: which words of a source the words of a target come from, by attention.
#pragma once

#include "core/tape/tensor.hpp"
#include "nn/pass.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AlignedPair {
  Index source;  // both are counted from 0
  Index target;

  auto operator<=>(const AlignedPair&) const = default;
};
using Alignment = std::set<AlignedPair>;

// Each target token with the source token of which its row of `attention` has the largest weight,
// the first of equal ones; a row without any weight has none. attention: (T, S) or more; rows and
// columns behind them, those of end marks, do not count.
Alignment aligned_tokens(const Tensor& attention, Index target_tokens, Index source_tokens);

// Pairs of words that have an aligned pair of tokens. `source`, `target`: the word of each token.
Alignment aligned_words(const Alignment& tokens, const std::vector<Index>& source,
                        const std::vector<Index>& target);

// "0-0 1-2": source and target of each pair (the format of Pharaoh, Koehn 2004).
std::string pharaoh_text(const Alignment& alignment);

class AlignmentHeads {
 public:
  // `names`, with commas between them: heads of cross-attention, such as decoder.layers.1.cross.3;
  // whole attentions, such as decoder.layers.1.cross; or `all`. Throws ConfigError, with the
  // attentions that exist, for a name of no such head, and for a model without cross-attention.
  AlignmentHeads(const Transformer& transformer, std::string_view names);

  // A recorder for a pass over one sequence, which sums the mean of the heads' weights. It must not
  // outlive `mean`, which is (T, S) after the pass.
  Recorder mean_into(Tensor& mean) const;

 private:
  using Head = std::pair<AttentionSite, Index>;

  std::vector<Head> heads_;  // in their order, each once
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
