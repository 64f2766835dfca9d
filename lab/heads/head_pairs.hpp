// How far two heads are apart.
#pragma once

#include <span>

#include "core/tape/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Of their weights, row after row: Σ_queries of the Jensen-Shannon divergence, nats, at most log 2
// for each query (Lin 1991; between heads as in Clark et al. 2019, section 6).
double divergence_between(std::span<const Scalar> p, std::span<const Scalar> q);

// The rows of x, each brought to length 1. Rows of zeros stay so.
Tensor unit_rows(const Tensor& x);

// Of what they write, as unit rows: Σ_queries 1 - cos, at most 2 for each query; 1 where one of the
// two writes nothing.
double output_distance_between(const Tensor& a, const Tensor& b);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
