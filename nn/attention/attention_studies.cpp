// What studies of a trained model need: what heads do, and heads whose weights are given.

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

}  // namespace

// The heads' outputs with what the pass substitutes; the recorder sees both.
Var MultiHeadAttention::studied(Pass& pass, const Call& call, const Var& outputs) const {
  if (pass.substitute && outputs.needs_gradient()) {
    throw std::logic_error("heads with given weights have no gradients");
  }
  Tensor y = pass.substitute ? outputs.value().copy() : outputs.value();
  for (Index segment = 0; segment < call.queries.count(); ++segment) {
    const Segment& queries = call.queries[segment];
    for (Index head = 0; head < spec.heads; ++head) {
      std::optional<HeadAttention> seen =
          pass.substitute ? pass.substitute(site, head, queries, call.keys[segment]) : std::nullopt;
      if (seen) {
        attend_by(seen->weights, call, head, segment, y);
      }
      if (pass.recorder) {
        if (!seen) {
          seen = head_attention(call.heads.query, call.heads.to.key, call.queries, call.keys,
                                call.options, segment, head, call.bias, call.score_weights,
                                call.heads.sink_query);
        }
        pass.recorder({.site = site,
                       .segment = segment,
                       .head = head,
                       .weights = std::move(seen->weights),
                       .scores = std::move(seen->scores),
                       .output = columns_of(y, queries, head * spec.d_v, spec.d_v)});
      }
    }
  }
  return pass.substitute ? pass.tape().constant(y) : outputs;
}

// y_i = Σ_j w_ij (v_j + r_b), where r_b is the bias on the values in the bucket of j - i, if any.
void MultiHeadAttention::attend_by(const Tensor& weights_of_head, const Call& call, Index head,
                                   Index segment, Tensor& y) const {
  const Segment& queries = call.queries[segment];
  const Segment& keys = call.keys[segment];
  const HeadMatrix value(call.heads.to.value, spec.d_v);
  const Tensor bias = call.bias.values ? call.bias.values->value() : Tensor();
  for (Index i = 0; i < queries.rows; ++i) {
    Scalar* row = y.row(queries.row + i) + head * spec.d_v;
    std::fill_n(row, spec.d_v, Scalar{0});
    for (Index j = 0; j < keys.rows; ++j) {
      const Scalar weight = weights_of_head.row(i)[j];
      add_scaled(weight, value.at(keys.row + j, call.options.key_head(head)), spec.d_v, row);
      if (bias.has_memory()) {
        const Index distance = keys.position + j - queries.position - i;
        add_scaled(weight, bias.row(call.bias.buckets.at(distance)), spec.d_v, row);
      }
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
