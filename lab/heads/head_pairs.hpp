// The distance between two heads.
#pragma once

#include <cmath>
#include <span>

#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// p ln p, in nats, which tends to 0 with p.
inline double entropy_term(double p) { return p > 0 ? p * std::log(p) : 0; }

// Between their weights, row after row: Σ_queries of the Jensen-Shannon divergence in nats, at most
// log 2 for each query (Lin 1991; between heads as in Clark et al. 2019, section 6).
double divergence_between(std::span<const Scalar> p, std::span<const Scalar> q);

// The rows of x, each scaled to length 1. Rows of zeros stay zero.
Tensor unit_rows(const Tensor& x);

// Between their outputs, as unit rows: Σ_queries 1 - cos, at most 2 for each query; 1 if one of the
// two outputs is zero.
double output_distance_between(const Tensor& a, const Tensor& b);

}}  // namespace tapehead::TAPEHEAD_PRECISION
