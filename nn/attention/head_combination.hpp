// From what the heads of an attention bring to its output.
#pragma once

#include <optional>

#include "nn/attention/head_copy.hpp"
#include "nn/attention/spec.hpp"
#include "nn/residual.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct HeadCombination {
  HeadCombination(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // (N, H d_v) -> (N, D)
  BlockOutput operator()(Pass& pass, const Var& heads_side_by_side) const;

  // Copies what of it belongs to the heads that stay; with `output` alone, where each has columns
  // of its own.
  void keep_heads(const KeptHeads& kept, const HeadCombination& smaller, HeadCopy& copy) const;

  Combine combine;
  Index heads;
  Index d_v;
  Parameter output_weight;  // (D, H d_v); with `output`
  Parameter head_weights;   // (H); with `weighted`
  Parameter output_bias;    // (D)
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
