// Muon: the update of a hidden matrix is its momentum, made orthogonal (Jordan et al. 2024, "Muon:
// an optimizer for hidden layers in neural networks", with the constants of their code).
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
