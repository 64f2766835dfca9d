// Adds a bias to the values of a head, by the distance from query to key. The weights of a bucket
// are summed first, so each query and bucket meet only once.
#pragma once

#include "core/ops/attention/tile.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The rows of a bias in the layout that products need, and scratch memory for a tile of queries.
// All rows are padded to whole vectors.
class ValueBias {
 public:
  // rows: (B, d_value); without memory: no bias.
  explicit ValueBias(const Tensor& rows);

  bool active() const { return buckets_ > 0; }
  Index buckets() const { return buckets_; }
  Index step() const { return step_; }  // from query to query, in mass and gradients
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
