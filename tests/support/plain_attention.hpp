// Attention composed of plain ops, one query at a time: the reference for the fused op.
#pragma once

#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/plain.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Dropout's factors (n, m) on one head's weights. All keys are equal, so each weight is 1 / m; the
// values are unit vectors, so the output shows every weight.
inline Tensor dropout_factors(const Segments& queries, const Segments& keys,
                              const AttentionOptions& options, Index segment, Index head) {
  const Segment& query = queries[segment];
  const Segment& key = keys[segment];
  const Index m = key.rows;
  Tape tape(false);
  const Var zeros = tape.constant(Tensor::zeros({row_count(queries), options.heads}));
  const Var key_zeros = tape.constant(Tensor::zeros({row_count(keys), options.heads}));
  Tensor units = Tensor::zeros({row_count(keys), options.heads * m});
  for (Index j = 0; j < m; ++j) {
    units.row(key.row + j)[head * m + j] = 1;
  }
  const Var y = attention({zeros}, {key_zeros}, {tape.constant(units)}, queries, keys,
                          {.heads = options.heads, .d_value = m, .dropout = options.dropout});
  Tensor factors = Tensor::empty({query.rows, m});
  for (Index q = 0; q < query.rows; ++q) {
    for (Index j = 0; j < m; ++j) {
      factors.row(q)[j] = static_cast<Scalar>(m) * y.value().row(query.row + q)[head * m + j];
    }
  }
  return factors;
}

// For one query and one head: -1e30 for each key that the query may not attend to, else 0.
inline Tensor plain_mask(const Pattern& pattern, Index query_position, Index prefix,
                         const Segment& key) {
  Tensor mask = Tensor::zeros({1, key.rows});
  for (Index j = 0; j < key.rows; ++j) {
    if (!pattern.allowed(query_position, key.position + j, prefix)) {
      mask.row(0)[j] = Scalar(-1e30);
    }
  }
  return mask;
}

// Keeps `count` of the keys that the mask allows: those with the largest scores, and the earlier
// key of equal ones. Masks the rest.
inline void plain_keep_top(Index count, const Tensor& scores, Tensor& mask) {
  const std::span<Scalar> allowed = mask.values();
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < allowed.size(); ++j) {
    if (allowed[j] == 0) {
      order.push_back(j);
    }
  }
  std::ranges::stable_sort(order, std::greater(),
                           [&scores](std::size_t j) { return scores.values()[j]; });
  for (std::size_t i = static_cast<std::size_t>(count); i < order.size(); ++i) {
    allowed[order[i]] = Scalar(-1e30);
  }
}

// (B, m): column j is 1 in the row of key j's bucket, else 0.
inline Tensor plain_bucket_columns(const DistanceBuckets& buckets, Index query_position,
                                   const Segment& key) {
  Tensor columns = Tensor::zeros({buckets.count(), key.rows});
  for (Index j = 0; j < key.rows; ++j) {
    columns.row(buckets.at(key.position + j - query_position))[j] = 1;
  }
  return columns;
}

// Adds the bias to the scores of one query and one head.
inline Var plain_biased(Var scores, const AttentionBias& bias, Index query_row,
                        Index query_position, const Segment& key, Index head) {
  Tape& tape = scores.tape();
  const Index B = bias.buckets.count();
  if (!bias.slopes.empty()) {
    Tensor losses = Tensor::zeros({1, key.rows});
    for (Index j = 0; j < key.rows; ++j) {
      const auto distance = static_cast<double>(std::abs(key.position + j - query_position));
      losses.row(0)[j] =
          static_cast<Scalar>(-bias.slopes[static_cast<std::size_t>(head)] * distance);
    }
    scores = add(scores, tape.constant(losses));
  }
  if (bias.by_head || bias.by_query) {
    const Var columns = tape.constant(plain_bucket_columns(bias.buckets, query_position, key));
    if (bias.by_head) {
      scores = add(scores, matmul(slice(*bias.by_head, 0, head, head + 1), columns));
    }
    if (bias.by_query) {
      const Var row = slice(*bias.by_query, 0, query_row, query_row + 1);
      scores = add(scores, matmul(slice(row, 1, head * B, (head + 1) * B), columns));
    }
  }
  return scores;
}

// The scores of one query (1, d) for the keys (m, d): q Kᵀ, or v · tanh(q + k) for an additive
// score. v is a row of `score_weights`, which has one row per head with an additive score.
inline Var plain_scores(const Var& query, const Var& keys, const AttentionOptions& options,
                        const std::optional<Var>& score_weights, Index head) {
  if (options.score(head) == nullptr) {
    return matmul(query, transpose(keys));
  }
  const Index row = options.score_weights_before(head) / options.d_key;
  const Var sums = bias_activation(scale(keys, 1), sum(query, 0), Activation::tanh);
  return matmul(slice(*score_weights, 0, row, row + 1), transpose(sums));
}

// 1 for each key that is a sink outside the window of the query, else 0.
inline Tensor plain_sinks(const Pattern& pattern, Index query_position, const Segment& key) {
  Tensor sinks = Tensor::zeros({1, key.rows});
  for (Index j = 0; j < key.rows; ++j) {
    const Index position = key.position + j;
    if (position < pattern.sinks() && position < query_position - pattern.near().before) {
      sinks.row(0)[j] = 1;
    }
  }
  return sinks;
}

// softmax(scale q Kᵀ + bias) (V + value bias) for one query and one head, over the visible keys.
inline Var plain_attention_row(const HeadColumns& query, const HeadColumns& key,
                               const HeadColumns& value, const Segments& queries,
                               const Segments& keys, const AttentionOptions& options,
                               const AttentionBias& bias, const std::optional<Var>& score_weights,
                               const std::optional<HeadColumns>& sink_query, const Tensor& factors,
                               Index segment, Index q, Index head) {
  Tape& tape = query.matrix.tape();
  const Segment& seen = keys[segment];
  const Pattern& pattern = options.patterns[options.patterns.size() == 1 ? 0 : head];
  const Index position = queries[segment].position + q;
  Tensor mask = plain_mask(pattern, position, queries[segment].prefix, seen);
  if (std::ranges::all_of(mask.values(), [](Scalar number) { return number < 0; })) {
    return tape.constant(Tensor::zeros({1, options.d_value}));
  }
  const auto rows_of_head = [&](const HeadColumns& from, Index row, Index end, Index width) {
    const bool of_keys = &from == &key || &from == &value;
    const Index number = of_keys ? options.key_head(head) : head;
    const Index column = from.begin(number, width);
    return slice(slice(from.matrix, 0, row, end), 1, column, column + width);
  };
  const Index query_row = queries[segment].row + q;
  const Index end = seen.row + seen.rows;
  const Var one = rows_of_head(query, query_row, query_row + 1, options.d_key);
  const Var seen_keys = rows_of_head(key, seen.row, end, options.d_key);
  Var products = plain_scores(one, seen_keys, options, score_weights, head);
  if (sink_query) {
    const Var other = rows_of_head(*sink_query, query_row, query_row + 1, options.d_key);
    const Var change =
        subtract(plain_scores(other, seen_keys, options, score_weights, head), products);
    products = add(products, multiply(change, tape.constant(plain_sinks(pattern, position, seen))));
  }
  products = scale(products, options.score_factor());
  const Var scores = plain_biased(products, bias, query_row, position, seen, head);
  if (pattern.top_count() > 0) {
    plain_keep_top(pattern.top_count(), scores.value(), mask);
  }
  Var weights = softmax(add(scores, tape.constant(mask)));
  if (options.dropout.active()) {
    weights = multiply(weights, tape.constant(factors.part(q * seen.rows, {1, seen.rows})));
  }
  Var y = matmul(weights, rows_of_head(value, seen.row, end, options.d_value));
  if (!bias.values) {
    return y;
  }
  const Tensor columns = plain_bucket_columns(bias.buckets, position, seen);
  return add(y, matmul(matmul(weights, transpose(tape.constant(columns))), *bias.values));
}

inline Var plain_attention(const HeadColumns& query, const HeadColumns& key,
                           const HeadColumns& value, const Segments& queries, const Segments& keys,
                           const AttentionOptions& options, const AttentionBias& bias = {},
                           const std::optional<Var>& score_weights = {},
                           const std::optional<HeadColumns>& sink_query = {}) {
  std::vector<Var> rows;
  for (Index segment = 0; segment < queries.count(); ++segment) {
    std::vector<Tensor> factors;
    for (Index head = 0; head < options.heads; ++head) {
      factors.push_back(options.dropout.active()
                            ? dropout_factors(queries, keys, options, segment, head)
                            : Tensor());
    }
    for (Index q = 0; q < queries[segment].rows; ++q) {
      std::vector<Var> heads;
      for (Index head = 0; head < options.heads; ++head) {
        heads.push_back(plain_attention_row(
            query, key, value, queries, keys, options, bias, score_weights, sink_query,
            factors[static_cast<std::size_t>(head)], segment, q, head));
      }
      rows.push_back(concatenate(heads, 1));
    }
  }
  return concatenate(rows, 0);
}

// Compares the value and the gradients of attention with those of plain ops. `call` takes the
// function that attends, then a Var for each input.
template <class Call, class... Input>
void expect_equals_plain_attention(const Call& call, const Input&... inputs) {
  expect_equals_plain(std::bind_front(call, attention), std::bind_front(call, plain_attention),
                      inputs...);
}

// The weights that are given out, times the values, must equal the output (without dropout).
inline void expect_output_of_weights(const HeadColumns& query, const HeadColumns& key,
                                     const HeadColumns& value, const AttentionCase& c,
                                     const AttentionBias& bias,
                                     const std::optional<Var>& score_weights, double tolerance) {
  const auto& [name, queries, keys, o] = c;
  const Var y = attention(query, key, value, queries, keys, o, bias, score_weights);
  // The rows of a sequence and the columns of a head.
  const auto part = [width = o.d_value](const Var& x, const Segment& of, Index column) {
    return slice(slice(x, 0, of.row, of.row + of.rows), 1, column, column + width);
  };
  for (Index s = 0; s < queries.count(); ++s) {
    for (Index h = 0; h < o.heads; ++h) {
      const HeadAttention given =
          head_attention({query, key, value, queries, keys, o, bias, score_weights}, s, h);
      const Var v = part(value.matrix, keys[s], value.begin(o.key_head(h), o.d_value));
      const Var expected = matmul(v.tape().constant(given.weights), v);
      EXPECT_THAT(part(y, queries[s], h * o.d_value).value().values(),
                  Pointwise(DoubleNear(tolerance), expected.value().values()));
    }
  }
}

inline std::span<const Scalar> row_values(const Tensor& x, Index i) {
  return x.values().subspan(static_cast<std::size_t>(i * x.dim(1)),
                            static_cast<std::size_t>(x.dim(1)));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
