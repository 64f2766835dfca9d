#include "core/ops/attention/bias.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void expect_bias(const AttentionBias& bias, Index N, Index heads, Index d_value) {
  const Index B = bias.buckets.count();
  if (!bias.slopes.empty() && static_cast<Index>(bias.slopes.size()) != heads) {
    throw ShapeError(
        fmt::format("attention.bias: {} slopes for {} heads", bias.slopes.size(), heads));
  }
  if (bias.by_head) {
    expect_shape(*bias.by_head, {heads, B}, "attention.bias.by_head");
  }
  if (bias.by_query) {
    expect_shape(*bias.by_query, {N, heads * B}, "attention.bias.by_query");
  }
  if (bias.values) {
    expect_shape(*bias.values, {B, d_value}, "attention.bias.values");
  }
}

void append_inputs(const AttentionBias& bias, PoolVector<Var>& inputs) {
  for (const auto& input : {bias.by_head, bias.by_query, bias.values}) {
    if (input) {
      inputs.push_back(*input);
    }
  }
}

BiasValues::BiasValues(const AttentionBias& bias)
    : buckets(bias.buckets),
      slopes(bias.slopes),
      by_head(bias.by_head ? bias.by_head->value() : Tensor()),
      by_query(bias.by_query ? bias.by_query->value() : Tensor()),
      values(bias.values ? bias.values->value() : Tensor()) {}

HeadBias BiasValues::head(const Segment& queries, Index head) const {
  HeadBias result{.buckets = &buckets, .values = given(values)};
  if (!slopes.empty()) {
    result.slope = static_cast<Scalar>(slopes[static_cast<std::size_t>(head)]);
  }
  if (given(by_head)) {
    result.by_head = by_head.row(head);
  }
  if (given(by_query)) {
    result.by_query = by_query.row(queries.row) + head * buckets.count();
    result.stride = by_query.dim(1);
  }
  return result;
}

BiasTargets::BiasTargets(Gradients& g, const BiasValues& bias, Index input)
    : count_(bias.buckets.count()) {
  if (BiasValues::given(bias.by_head)) {
    by_head_ = g.sum(input++);
  }
  if (BiasValues::given(bias.by_query)) {
    by_query_ = g.sum(input++);
    stride_ = bias.by_query.dim(1);
  }
  if (BiasValues::given(bias.values)) {
    values_ = g.sum(input++);
  }
}

HeadBiasTargets BiasTargets::head(const Segment& queries, Index head) const {
  return {.by_head = by_head_ == nullptr ? nullptr : by_head_ + head * count_,
          .by_query =
              by_query_ == nullptr ? nullptr : by_query_ + queries.row * stride_ + head * count_,
          .stride = stride_,
          .values = values_};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
