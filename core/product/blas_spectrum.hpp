// Singular values, by LAPACK.
#pragma once

#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The singular values of Aᵀ B, largest first, in double precision. There are as many as A has rows
// or columns, whichever is fewer. a: (d, m), b: (d, n). Values below about 1e-8 of the largest are
// lost in rounding.
std::vector<double> product_singular_values(const Tensor& a, const Tensor& b);

}}  // namespace tapehead::TAPEHEAD_PRECISION
