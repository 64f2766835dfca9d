// Combines the outputs of the heads of an attention into its output.
#pragma once

#include "nn/attention/spec.hpp"
#include "nn/pass.hpp"
#include "nn/residual_connection.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A gate on each head, which training opens or closes (Voita et al. 2019, section 5.2).
struct L0Gates {
  L0Gates(const Scope& scope, const AttentionSpec& spec);

  // Multiplies each head by its gate, (N, H d_v) -> (N, H d_v). In training the gates are drawn
  // once for a whole step; otherwise they are settled. Without gates the heads stay as they are.
  Var operator()(Pass& pass, const Var& heads_side_by_side) const;

  Index heads;
  Index d_v;
  std::string path;                    // the stream of the random draws
  std::optional<Parameter> log_alpha;  // (H); absent: no gates
};

struct HeadCombination {
  HeadCombination(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // (N, H d_v) -> (N, D)
  BlockOutput operator()(Pass& pass, const Var& heads_side_by_side) const;

  Combine combine;
  Index heads;
  Index d_v;
  Index d_model;
  Parameter output_weight;  // (D, H d_v); with `output`
  Parameter head_weights;   // (H); with `weighted`
  Parameter output_bias;    // (D), with biases
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
