#include "core/ops/attention/bias_values.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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
