// The trained gates of heads: which ones are closed, and how far the others are open.
#pragma once

#include <vector>

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct GatedHead {
  HeadName head;
  double gate = 0;  // the gate without random draws; exactly 0: closed
  double open = 0;  // the probability that a draw in training is not 0
};

// The heads of a model that have gates, in the order in which a pass meets them.
std::vector<GatedHead> gated_heads(const Model& model);

// The heads whose gates are closed. They contribute nothing, and can be removed without a change.
std::vector<HeadName> closed_heads(const Model& model);

}}  // namespace tapehead::TAPEHEAD_PRECISION
