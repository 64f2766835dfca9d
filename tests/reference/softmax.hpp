// Softmax and cross-entropy by their formulas.
#pragma once

#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// y_nd = exp(x_nd) / Σ_k exp(x_nk)
inline Array softmax(const Array& x) { return xt::exp(x) / row_sums(xt::exp(x)); }

// y_nd = x_nd - ln Σ_k exp(x_nk)
inline Array log_softmax(const Array& x) { return x - xt::log(row_sums(xt::exp(x))); }

// Row n is 1 in column ids[n].
inline Array one_hot(const std::vector<TokenId>& ids, std::size_t V) {
  return xt::view(xt::eye<double>(V), xt::keep(ids), xt::all());
}

// -Σ q ∘ ln softmax(x), with q = (1 - smoothing) onehot + smoothing / V (Szegedy et al. 2016)
inline Array cross_entropy(const Array& x, const std::vector<TokenId>& targets, double smoothing) {
  const std::size_t V = x.shape(1);
  const Array q = (1 - smoothing) * one_hot(targets, V) + smoothing / static_cast<double>(V);
  return -xt::sum(q * log_softmax(x));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
