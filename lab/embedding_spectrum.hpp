// The spectrum of the embedding of tokens that are numbers of a circle.
#pragma once

#include <span>

#include "lab/cyclic_spectrum.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The share of the squared norm of which the number of frequencies is told.
constexpr double most_of_spectrum = 0.9;

// Of the rows that these tokens, in their order on the circle, have in the table of the stack that
// reads sources. Where the embedding is factored, these are the rows before its linear map.
CyclicSpectrum embedding_spectrum(const Model& model, std::span<const TokenId> cyclic_tokens);

}}  // namespace tapehead::TAPEHEAD_PRECISION
