// The bias of an entry that a model never predicts.
#pragma once

#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// e^-10000 is 0 in every precision, so the other entries share the probability as they do in a
// model without this one.
inline constexpr Scalar never_bias = -10'000;

// Also after a training went on from it, in which no such bias has a gradient.
inline bool is_never(Scalar bias) { return bias < never_bias / 2; }

}}  // namespace tapehead::TAPEHEAD_PRECISION
