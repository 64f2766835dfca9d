// How a head's output contributes to the output of its attention.
#pragma once

#include <vector>

#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each head the map (d_v, D) from its output to its contribution: its columns of the output
// weight, transposed. Without such a weight it is the head's columns or its factor. The
// contributions of all heads and the output bias add up to the attention's output.
std::vector<Tensor> head_writes(const ParameterStore& store, const MultiHeadAttention& attention);

// (n, d_v), (d_v, D) -> (n, D)
Tensor written_by(const Tensor& output, const Tensor& write);

}}  // namespace tapehead::TAPEHEAD_PRECISION
