// The position-wise feed-forward block (Vaswani et al. 2017, section 3.3), plain or with a gate
// (Shazeer 2020, section 2).
#pragma once

#include <string>

#include "nn/init.hpp"
#include "nn/residual_connection.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct FeedForward {
  // `stack`: the one whose rows the block's output is added to.
  FeedForward(const Scope& scope, const ModelOptions& options, StackName stack);
  BlockOutput operator()(Pass& pass, const Var& x,
                         const Segments& segments) const;  // (N, D) -> (N, D)

  bool gated;
  Activation activation;
  double dropout;
  std::string path;        // the stream of the random draws
  Parameter inner_weight;  // (F, D); gated: inner and gate stacked, (2 F, D)
  Parameter inner_bias;    // (F) or (2 F), with biases
  Parameter outer_weight;  // (D, F)
  Parameter outer_bias;    // (D), with biases
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
