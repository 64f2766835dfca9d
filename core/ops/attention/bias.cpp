#include "core/ops/attention/bias.hpp"

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

HeadBiasTargets BiasValues::targets(Gradients& g, Index input) const {
  HeadBiasTargets result;
  if (given(by_head)) {
    result.by_head = g.sum(input++);
  }
  if (given(by_query)) {
    result.by_query = g.sum(input++);
    result.stride = by_query.dim(1);
  }
  if (given(values)) {
    result.values = g.sum(input++);
  }
  return result;
}

HeadBiasTargets BiasValues::targets(HeadBiasTargets of, const Segment& queries, Index head) const {
  const Index first = head * buckets.count();
  of.by_head = of.by_head == nullptr ? nullptr : of.by_head + first;
  of.by_query = of.by_query == nullptr ? nullptr : of.by_query + queries.row * of.stride + first;
  return of;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
