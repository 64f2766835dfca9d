// The two linear maps of a head: from pairs of inputs to scores, and from the attended input to the
// output (the QK and OV circuits of Elhage et al. 2021).
#pragma once

#include <optional>
#include <vector>

#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct MapFigures {
  double norm = 0;  // Frobenius
  // exp of the entropy of the singular values' shares (Roy and Vetterli 2007); absent where all
  // are 0.
  std::optional<double> rank;
  Index width = 0;  // the head's: no rank is larger
};

struct HeadMaps {
  MapFigures query_key;     // W_Qᵀ W_K: (D, D)
  MapFigures value_output;  // W_Vᵀ W_Oᵀ: (D, D)
  // |M - Mᵀ| / (2 |M|) of M = W_Qᵀ W_K in Frobenius norms. It is 0 if scores stay the same when
  // query and key are exchanged, sqrt(1/2) for two unrelated matrices, and at most 1. Only for
  // self-attention, and not if M is 0.
  std::optional<double> asymmetry;
};

// The maps of each head of an attention. There are none if the scores or the output of a head are
// not a bilinear function of its input: without projections, without its own output weight, or with
// scores other than dot products.
std::vector<std::optional<HeadMaps>> head_maps(const ParameterStore& store,
                                               const MultiHeadAttention& attention);

}}  // namespace tapehead::TAPEHEAD_PRECISION
