// The heads whose attention says which tokens of source and target are aligned.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "nn/pass.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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
