// Normalisation of rows by its formulas.
#pragma once

#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// y = gain ∘ (x - μ) / √(σ² + ε) + bias (Ba et al. 2016)
inline Array layer_norm(const Array& x, const Array& gain, const Array& bias, double epsilon) {
  const Array centred = x - row_means(x);
  return gain * centred / xt::sqrt(row_means(xt::square(centred)) + epsilon) + bias;
}

// y = gain ∘ x / √(mean(x²) + ε) (Zhang and Sennrich 2019)
inline Array rms_norm(const Array& x, const Array& gain, double epsilon) {
  return gain * x / xt::sqrt(row_means(xt::square(x)) + epsilon);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
