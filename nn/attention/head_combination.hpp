// Combines the outputs of the heads of an attention into its output.
#pragma once

#include <optional>

#include "nn/attention/head_copy.hpp"
#include "nn/attention/spec.hpp"
#include "nn/residual.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct HeadCombination {
  HeadCombination(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // (N, H d_v) -> (N, D)
  BlockOutput operator()(Pass& pass, const Var& heads_side_by_side) const;

  // Copies the parameters of the heads that are kept. Works only with `output`, where each head has
  // its own columns.
  void keep_heads(const KeptHeads& kept, const HeadCombination& smaller, HeadCopy& copy) const;

  Combine combine;
  Index heads;
  Index d_v;
  Index d_model;
  Parameter output_weight;  // (D, H d_v); with `output`
  Parameter head_weights;   // (H); with `weighted`
  Parameter output_bias;    // (D), with biases
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
