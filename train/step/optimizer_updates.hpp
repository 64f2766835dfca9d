// What an optimiser makes of a gradient: new numbers of some parameters, and of what it keeps.
#pragma once

#include <array>

#include "core/scalar.hpp"
#include "core/types.hpp"
#include "train/options/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

constexpr std::size_t most_moments = 2;

// Numbers that follow each other.
struct Update {
  Index count;
  Scalar* weight;
  const Scalar* gradient;                     // before clipping
  std::array<Scalar*, most_moments> moments;  // as OptimizerTraits has them
  Scalar learning_rate;
  Scalar clip;  // a factor on the gradient
  Index step;   // counted from 1
};

using UpdateFunction = void (*)(const Update&, const TrainingOptions&);
UpdateFunction update_of(OptimizerKind kind);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
