// Arrays of doubles for reference formulas, and functions that the formulas share.
#pragma once

#include <tapehead/xtensor.hpp>
#include <xtensor/xarray.hpp>

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

using Array = xt::xarray<double>;

using xt::transpose;
using xt::linalg::dot;

// The sum and the mean of each row, as a column.
inline Array row_sums(const Array& x) { return xt::sum(x, {1}, xt::keep_dims); }
inline Array row_means(const Array& x) { return xt::mean(x, {1}, xt::keep_dims); }

// σ(x)
inline Array logistic(const Array& x) { return 1 / (1 + xt::exp(-x)); }

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
