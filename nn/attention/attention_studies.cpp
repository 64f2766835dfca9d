// What studies of a trained model need of an attention: what its heads do, and heads whose weights
// are given.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Some columns of a segment's rows.
Tensor columns_of(const Tensor& matrix, const Segment& rows, Index first, Index count) {
  Tensor columns = Tensor::empty({rows.rows, count});
  for (Index i = 0; i < rows.rows; ++i) {
    std::copy_n(matrix.row(rows.row + i) + first, count, columns.row(i));
  }
  return columns;
}

// y += w x
void add_scaled(Scalar w, const Scalar* x, Index size, Scalar* y) {
  for (Index i = 0; i < size; ++i) {
    y[i] += w * x[i];
  }
}

// The scores whose softmax the weights are.
Tensor logarithms(const Tensor& weights) {
  Tensor scores = Tensor::empty(weights.shape());
  std::ranges::transform(weights.values(), scores.values().begin(),
                         [](Scalar weight) { return std::log(weight); });
  return scores;
}

}  // namespace

const Pattern& MultiHeadAttention::pattern_of(Index head) const {
  return patterns[patterns.size() == 1 ? 0 : static_cast<std::size_t>(head)];
}

Var MultiHeadAttention::with_given_weights(Pass& pass, const Call& call, const Var& outputs) const {
  if (outputs.needs_gradient()) {
    throw std::logic_error("heads with given weights have no gradients");
  }
  Tensor y = outputs.value().copy();
  for (const auto& [head, given] : by_distance) {
    for (Index segment = 0; segment < call.queries.count(); ++segment) {
      attend_by_distance(call, given, head, segment, y);
    }
  }
  return pass.tape().constant(y);
}

// y_i = Σ_j w_ij (v_j + r_b), where r_b is the bias on the values in the bucket of j - i, if any.
void MultiHeadAttention::attend_by_distance(const Call& call, const DistanceWeights& given,
                                            Index head, Index segment, Tensor& y) const {
  const Segment& queries = call.queries[segment];
  const Segment& keys = call.keys[segment];
  const HeadMatrix value(call.heads.value, spec.d_v);
  const Tensor bias = call.bias.values ? call.bias.values->value() : Tensor();
  const Tensor shares = weights_at(given, pattern_of(head), queries, keys);
  for (Index i = 0; i < queries.rows; ++i) {
    Scalar* row = y.row(queries.row + i) + head * spec.d_v;
    std::fill_n(row, spec.d_v, Scalar{0});
    for (Index j = 0; j < keys.rows; ++j) {
      const Scalar weight = shares.row(i)[j];
      add_scaled(weight, value.at(keys.row + j, call.options.key_head(head)), spec.d_v, row);
      if (bias.has_memory()) {
        const Index distance = keys.position + j - queries.position - i;
        add_scaled(weight, bias.row(call.bias.buckets.at(distance)), spec.d_v, row);
      }
    }
  }
}

void MultiHeadAttention::record(Pass& pass, const Call& call, const Tensor& outputs) const {
  const auto& [heads, queries, keys, options, bias, score_weights] = call;
  for (Index segment = 0; segment < queries.count(); ++segment) {
    for (Index head = 0; head < spec.heads; ++head) {
      HeadAttention seen = head_attention(heads.query, heads.key, queries, keys, options, segment,
                                          head, bias, score_weights, heads.sink_query);
      if (const auto given = by_distance.find(head); given != by_distance.end()) {
        seen.weights = weights_at(given->second, pattern_of(head), queries[segment], keys[segment]);
        seen.scores = logarithms(seen.weights);
      }
      pass.recorder({.site = site,
                     .segment = segment,
                     .head = head,
                     .weights = std::move(seen.weights),
                     .scores = std::move(seen.scores),
                     .output = columns_of(outputs, queries[segment], head * spec.d_v, spec.d_v)});
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
