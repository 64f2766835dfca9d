#include "lab/heads/head_writes.hpp"

#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The head's columns of the output weight (D, H d_v), transposed.
Tensor columns_of(const Tensor& weight, Index head, Index width) {
  Tensor columns = Tensor::empty({width, weight.dim(0)});
  for (Index i = 0; i < weight.dim(0); ++i) {
    for (Index c = 0; c < width; ++c) {
      columns.row(c)[i] = weight.row(i)[head * width + c];
    }
  }
  return columns;
}

// Maps number i of the head to column `first` + i, with factor `share`.
Tensor placed(Index width, Index columns, Index first, Scalar share) {
  Tensor map = Tensor::zeros({width, columns});
  for (Index c = 0; c < width; ++c) {
    map.row(c)[first + c] = share;
  }
  return map;
}

Tensor write_of(const ParameterStore& store, const MultiHeadAttention& attention, Index head) {
  const AttentionSpec& spec = attention.spec;
  const HeadCombination& combination = attention.weights.combination;
  switch (spec.combine) {
    case Combine::concatenate:
      return placed(spec.d_v, spec.d_model, head * spec.d_v, 1);
    case Combine::mean:
      return placed(spec.d_v, spec.d_model, 0, 1 / static_cast<Scalar>(spec.heads));
    case Combine::weighted:
      return placed(spec.d_v, spec.d_model, 0, store.value(combination.head_weights).data()[head]);
    default:
      return columns_of(store.value(combination.output_weight), head, spec.d_v);
  }
}

}  // namespace

std::vector<Tensor> head_writes(const ParameterStore& store, const MultiHeadAttention& attention) {
  std::vector<Tensor> writes;
  for (Index head = 0; head < attention.spec.heads; ++head) {
    writes.push_back(write_of(store, attention, head));
  }
  return writes;
}

Tensor written_by(const Tensor& output, const Tensor& write) {
  Tensor written = Tensor::empty({output.dim(0), write.dim(1)});
  matrix_product(
      output.dim(0), write.dim(1), write.dim(0), {.data = output.data(), .stride = output.dim(1)},
      {.data = write.data(), .stride = write.dim(1)}, written.data(), write.dim(1), false);
  return written;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
