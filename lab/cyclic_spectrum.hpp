// The Fourier spectrum of rows that belong to the numbers on a circle, such as rows of an
// embedding: how much each frequency contributes to the differences between the rows.
#pragma once

#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct CyclicSpectrum {
  // At [k - 1], for frequency k = 1 ... ⌊p/2⌋: its share of Σ_a |E(a) - mean|². The shares sum to
  // 1; they are all 0 if all rows are equal.
  std::vector<double> shares;

  // The number of frequencies, the largest first, that together have at least this share.
  Index frequencies_with(double share) const;

  // The Gini coefficient of the shares: 0 if they are equal, 1 - 1/n if one of n frequencies has
  // everything. It measures sparsity without a threshold (Hurley and Rickard 2009, table 1).
  double gini() const;
};

// `rows`: E(0), E(1), ... E(p - 1), each of `width` numbers. E(0) follows E(p - 1) on the circle.
//
//   Ê(k) = Σ_a E(a) exp(-2πi a k / p)        (Nanda et al. 2023, section 4.1)
//
// By Parseval, Σ_a |E(a) - mean|² = 1/p Σ_{k=1}^{p-1} |Ê(k)|². The rows are real, so frequencies k
// and p - k have the same norm and count as one frequency; p/2 counts once.
CyclicSpectrum cyclic_spectrum(std::span<const double> rows, Index width);

// Reports give the number of frequencies that together have this share.
constexpr double most_of_spectrum = 0.9;

// The spectrum of the source embedding's rows for these tokens, given in their order on the circle.
// If the embedding is factored, its rows are taken before the linear map.
CyclicSpectrum embedding_spectrum(const Model& model, std::span<const TokenId> cyclic_tokens);

}}  // namespace tapehead::TAPEHEAD_PRECISION
