// The computations of an optimiser's step: the sum and norm of gradients, new values and states.
#pragma once

#include "train/step/exchange.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sum over the shards for the blocks in a slice. It overwrites the gradients of the first shard
// that wrote the block; zeros if no shard did.
class GradientSums {
 public:
  GradientSums(const ParameterStore& store, std::span<const ShardGradients> shards,
               const Slice& slice);

  // The sum for a block, from the block's number `offset` on.
  Scalar* at(Index block, Index offset) {
    auto& [memory, first] = places_[static_cast<std::size_t>(block)];
    return memory.data() + offset - first;
  }

 private:
  struct Place {
    Tensor memory;
    Index first;  // index in the block of the memory's first number
  };
  PoolVector<Place> places_;
};

// Computes one range of the sum, times `scale`, in place; returns Σ sum².
double sum_gradients(const BlockRange& range, std::span<const ShardGradients> shards, Scalar scale,
                     Scalar* sum);

// Describes why the norm of a sum is not finite: names the first parameter in the slice with a
// number that is not finite. Empty if all are finite.
std::string not_finite_in(const ParameterStore& store, GradientSums& sums, const Slice& slice);

// An update of consecutive numbers: a matrix or, as one row, a part of a block.
struct Update {
  Index rows = 1;
  Index columns = 0;
  Scalar* weight = nullptr;
  Scalar* gradient = nullptr;        // before clipping
  std::array<Scalar*, 2> moments{};  // as in OptimizerTraits
  Scalar learning_rate = 0;
  Scalar clip = 1;  // a factor on the gradient
  Scalar weight_decay = 0;
  Index step = 1;  // counted from 1

  Index count() const { return rows * columns; }
};

// Muon: the update of a hidden matrix is its momentum, made orthogonal (Jordan et al. 2024, "Muon:
// an optimizer for hidden layers in neural networks", with the constants of their code). Overwrites
// the gradient. With μ = `momentum` and g the gradient:
//
//   m = μ m + (1 - μ) g
//   u = μ m + (1 - μ) g                                        (Nesterov)
//   w = (1 - rate decay) w - rate √max(1, rows / columns) orthogonal(u)
//
// The factor for the shape is from the authors' code: the update of a matrix with more rows than
// columns has the same effect on each output as the update of a square one.
void muon(const Update& update, Scalar momentum, Scalar* scratch);

// Approximates U Vᵀ, where x = U S Vᵀ is the singular value decomposition of a matrix (rows,
// columns): the result's singular values are about 0.7 to 1.2. Overwrites x; returns x or scratch.
const Scalar* orthogonal(Index rows, Index columns, Scalar* x, Scalar* scratch);

// The size of `scratch` that `muon` and `orthogonal` need.
Index muon_scratch(Index rows, Index columns);

// By sgd or else by adam, adamw or muon, which updates these numbers as adamw does.
void update(const Update& one, const TrainingOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
