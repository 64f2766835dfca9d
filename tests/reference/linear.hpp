// Linear maps by their formulas.
#pragma once

#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// y = x Wᵀ + b
inline Array linear(const Array& x, const Array& W, const Array& b) {
  return dot(x, transpose(W)) + b;
}

// y = x Wᵀ with the first rows of W
inline Array linear_with_first_rows(const Array& x, const Array& W, Index out) {
  return dot(x, transpose(Array(xt::view(W, xt::range(0, out), xt::all()))));
}

// y = a b
inline Array matmul(const Array& a, const Array& b) { return dot(a, b); }

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
