// Attention put together from plain ops, one query at a time: what the fused op must equal.
#pragma once

#include <vector>

#include "core/ops/arithmetic.hpp"
#include "core/ops/attention.hpp"
#include "core/ops/matmul.hpp"
#include "core/ops/pieces.hpp"
#include "core/ops/softmax.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The factors (n, m) that dropout puts on one head's weights. With no difference between the keys
// each weight is 1 / m, and with values that are unit vectors the output shows every weight.
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

// The keys, counted from the segment's first, that a query may attend to: they are neighbours.
inline PositionRange visible_keys(const Pattern& pattern, Index query_position,
                                  const Segment& key) {
  PositionRange range{.first = 0, .last = -1};
  for (Index j = 0; j < key.rows; ++j) {
    if (pattern.allowed(query_position, key.position + j)) {
      range.first = range.last < range.first ? j : range.first;
      range.last = j;
    }
  }
  return range;
}

// softmax(scale q Kᵀ) V for one query and one head, over the keys that it sees.
inline Var plain_attention_row(const HeadColumns& query, const HeadColumns& key,
                               const HeadColumns& value, const Segments& queries,
                               const Segments& keys, const AttentionOptions& options, Index segment,
                               Index q, Index head) {
  Tape& tape = query.matrix.tape();
  const Pattern& pattern = options.patterns[options.patterns.size() == 1 ? 0 : head];
  const auto [first, last] = visible_keys(pattern, queries[segment].position + q, keys[segment]);
  if (last < first) {
    return tape.constant(Tensor::zeros({1, options.d_value}));
  }
  const auto rows_of_head = [&](const HeadColumns& from, Index row, Index end, Index width) {
    const Index number = &from == &query ? head : options.key_head(head);
    const Index column = from.begin(number, width);
    return slice(slice(from.matrix, 0, row, end), 1, column, column + width);
  };
  const Index query_row = queries[segment].row + q;
  const Index key_row = keys[segment].row;
  const Var one = rows_of_head(query, query_row, query_row + 1, options.d_key);
  const Var seen_keys = rows_of_head(key, key_row + first, key_row + last + 1, options.d_key);
  const Var seen = rows_of_head(value, key_row + first, key_row + last + 1, options.d_value);
  Var weights = softmax(scale(matmul(one, transpose(seen_keys)), options.score_factor()));
  if (options.dropout.active()) {
    const Tensor factors = dropout_factors(queries, keys, options, segment, head);
    weights = multiply(weights, tape.constant(factors.part(q * keys[segment].rows + first,
                                                           {1, last - first + 1})));
  }
  return matmul(weights, seen);
}

inline Var plain_attention(const HeadColumns& query, const HeadColumns& key,
                           const HeadColumns& value, const Segments& queries, const Segments& keys,
                           const AttentionOptions& options) {
  std::vector<Var> rows;
  for (Index segment = 0; segment < queries.count(); ++segment) {
    for (Index q = 0; q < queries[segment].rows; ++q) {
      std::vector<Var> heads;
      for (Index head = 0; head < options.heads; ++head) {
        heads.push_back(
            plain_attention_row(query, key, value, queries, keys, options, segment, q, head));
      }
      rows.push_back(concatenate(heads, 1));
    }
  }
  return concatenate(rows, 0);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
