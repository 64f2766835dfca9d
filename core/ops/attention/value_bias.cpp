#include "core/ops/attention/value_bias.hpp"

#include <algorithm>

#include "core/product/broadcast_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

ValueBias::ValueBias(const Tensor& rows) {
  if (rows.shape().rank() == 0) {
    return;
  }
  buckets_ = rows.dim(0);
  step_ = whole_vectors(buckets_);
  const Index width = rows.dim(1);
  rows_ = Tensor::zeros({buckets_, whole_vectors(width)});
  columns_ = Tensor::zeros({width, step_});
  for (Index b = 0; b < buckets_; ++b) {
    std::copy_n(rows.row(b), width, rows_.row(b));
    for (Index c = 0; c < width; ++c) {
      columns_.row(c)[b] = rows.row(b)[c];
    }
  }
  mass_ = Tensor::empty({tile_queries, step_});
  gradients_ = Tensor::empty({tile_queries, step_});
}

void ValueBias::clear_mass(Index queries) { std::fill_n(mass_.data(), queries * step_, Scalar{0}); }

void ValueBias::take_gradients(const Scalar* dy, Index stride, Index queries) {
  broadcast_product(queries, columns_.dim(0), step_, {dy, stride, 1}, columns_.data(), step_, {},
                    gradients_.data(), step_);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
