// The two maps that a head's weights make: from pairs of inputs to scores, and from what it
// attends to to what it writes (Elhage et al. 2021: its QK and OV circuits).
#pragma once

#include <optional>
#include <vector>

#include "nn/attention/attention.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct MapFigures {
  double norm = 0;  // Frobenius
  double rank = 0;  // exp of the entropy of the singular values' shares (Roy and Vetterli 2007)
};

struct HeadMaps {
  MapFigures query_key;     // W_Qᵀ W_K: (D, D)
  MapFigures value_output;  // W_Vᵀ W_Oᵀ: (D, D)
  // |M - Mᵀ| / (2 |M|) of M = W_Qᵀ W_K in Frobenius norms: 0 for scores that do not care who asks
  // whom, sqrt(1/2) for two matrices that have nothing to do with each other, 1 at most. Of
  // self-attention alone.
  std::optional<double> asymmetry;
};

// Of each head of an attention. None where a head's scores, or its output, are no bilinear function
// of what it reads: without projections or an output weight of its own, or with other scores than
// dot products.
std::vector<std::optional<HeadMaps>> head_maps(const ParameterStore& store,
                                               const MultiHeadAttention& attention);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
