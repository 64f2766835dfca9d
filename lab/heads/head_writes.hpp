// What a head's output becomes in the output of its attention.
#pragma once

#include <vector>

#include "nn/attention/attention.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Of each head the map (d_v, D) from its output to its part of the attention's: its columns of the
// output weight, transposed; or, without such a weight, its place or its share. The parts of all
// heads and the output bias add up to the attention's output.
std::vector<Tensor> head_writes(const ParameterStore& store, const MultiHeadAttention& attention);

// (n, d_v), (d_v, D) -> (n, D)
Tensor written_by(const Tensor& output, const Tensor& write);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
