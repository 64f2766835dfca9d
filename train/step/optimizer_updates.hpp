// The update of an optimiser: computes new values of some parameters, and of its own state, from a
// gradient.
#pragma once

#include <array>

#include "core/scalar.hpp"
#include "core/types.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr std::size_t most_moments = 2;

// A range of consecutive numbers.
struct Update {
  Index count;
  Scalar* weight;
  const Scalar* gradient;                     // before clipping
  std::array<Scalar*, most_moments> moments;  // as in OptimizerTraits
  Scalar learning_rate;
  Scalar clip;  // a factor on the gradient
  Scalar weight_decay;
  Index step;  // counted from 1
};

using UpdateFunction = void (*)(const Update&, const TrainingOptions&);
UpdateFunction update_of(OptimizerKind kind);

}}  // namespace tapehead::TAPEHEAD_PRECISION
