// The update of an optimiser: computes new values of some parameters, and of its own state, from a
// gradient.
#pragma once

#include <array>

#include "core/scalar.hpp"
#include "core/types.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Muon: the update of a hidden matrix is its momentum, made orthogonal (Jordan et al. 2024, "Muon:
// an optimizer for hidden layers in neural networks", with the constants of their code).

struct MatrixUpdate {
  Index rows;
  Index columns;
  Scalar* weight;
  Scalar* gradient;  // before clipping; overwritten
  Scalar* momentum;
  Scalar learning_rate;
  Scalar clip;  // a factor on the gradient
  Scalar weight_decay;
};

// With μ = `momentum` and g the gradient:
//
//   m = μ m + (1 - μ) g
//   u = μ m + (1 - μ) g                                        (Nesterov)
//   w = (1 - rate decay) w - rate √max(1, rows / columns) orthogonal(u)
//
// The scale by shape is that of the authors' code: the update of a matrix with more rows than
// columns has the same effect on each output as that of a square one.
void muon(const MatrixUpdate& update, Scalar momentum, Scalar* scratch);

// About U Vᵀ, where x = U S Vᵀ is the singular value decomposition of a matrix (rows, columns): its
// singular values are between about 0.7 and 1.2. Overwrites x, and returns where the result is, in
// x or in scratch.
const Scalar* orthogonal(Index rows, Index columns, Scalar* x, Scalar* scratch);

// The numbers of scratch memory that these need.
Index muon_scratch(Index rows, Index columns);

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
