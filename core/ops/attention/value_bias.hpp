// What a head adds to its values by the distance from query to key. The weights of a bucket are
// summed first, so that each query and bucket meet once.
#pragma once

#include "core/ops/attention/tile.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The rows of a bias as products need them, and scratch memory for a tile of queries. All have
// whole vectors in a row.
class ValueBias {
 public:
  // rows: (B, d_value), or no memory: no bias
  explicit ValueBias(const Tensor& rows);

  bool active() const { return buckets_ > 0; }
  Index buckets() const { return buckets_; }
  Index step() const { return step_; }  // of mass and gradients, from query to query
  const Scalar* rows() const { return rows_.data(); }
  Index row_step() const { return rows_.dim(1); }

  // mass[q][b] = Σ of the weights of query q for the keys of bucket b
  Scalar* mass(Index query) { return mass_.row(query); }
  void clear_mass(Index queries);
  // gradients[q][b] = dL/dy_q · rows[b]
  Scalar* gradients(Index query) { return gradients_.row(query); }
  void take_gradients(const Scalar* dy, Index stride, Index queries);

 private:
  Index buckets_ = 0;
  Index step_ = 0;
  Tensor rows_;
  Tensor columns_;  // (d_value, B)
  Tensor mass_;
  Tensor gradients_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
