// The Fourier spectrum of rows that belong to the numbers of a circle, such as those of an
// embedding: how much of what distinguishes the rows has which frequency.
#pragma once

#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct CyclicSpectrum {
  // Of frequency k = 1 ... ⌊p/2⌋ at [k - 1]: the part of Σ_a |E(a) - mean|² that it has. They sum
  // to 1, unless all rows are equal; then they are 0.
  std::vector<double> shares;

  // How many frequencies, the largest first, have at least this share together.
  Index frequencies_with(double share) const;

  // The Gini coefficient of the shares: 0 if they are equal, 1 - 1/n if one of n has everything. It
  // measures sparsity without a threshold (Hurley and Rickard 2009, table 1).
  double gini() const;
};

// `rows`: E(0), E(1), ... E(p - 1), each of `width` numbers, where E(0) also follows E(p - 1).
//
//   Ê(k) = Σ_a E(a) exp(-2πi a k / p)        (Nanda et al. 2023, section 4.1)
//
// By Parseval, Σ_a |E(a) - mean|² = 1/p Σ_{k=1}^{p-1} |Ê(k)|². Rows are real, so k and p - k have
// the same norm and are one frequency, to which both count; p/2 counts once.
CyclicSpectrum cyclic_spectrum(std::span<const double> rows, Index width);

// The share of the squared norm of which the number of frequencies is told.
constexpr double most_of_spectrum = 0.9;

// Of the rows that these tokens, in their order on the circle, have in the table of the stack that
// reads sources. Where the embedding is factored, these are the rows before its linear map.
CyclicSpectrum embedding_spectrum(const Model& model, std::span<const TokenId> cyclic_tokens);

}}  // namespace tapehead::TAPEHEAD_PRECISION
