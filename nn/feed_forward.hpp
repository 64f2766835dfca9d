// The position-wise feed-forward block (Vaswani et al. 2017, section 3.3).
#pragma once

#include <string>

#include "nn/residual.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct FeedForward {
  FeedForward(const Scope& scope, const ModelOptions& options);
  BlockOutput operator()(Pass& pass, const Var& x,
                         const Segments& segments) const;  // (N, D) -> (N, D)

  Activation activation;
  double dropout;
  std::string path;
  Parameter inner_weight;  // (F, D)
  Parameter inner_bias;    // (F)
  Parameter outer_weight;  // (D, F)
  Parameter outer_bias;    // (D)
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
