#include "core/ops/attention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/dims.hpp"
#include "core/errors.hpp"
#include "core/ops/attention_kernel.hpp"
#include "core/ops/attention_single.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

HeadRows rows_of(const HeadMatrix& columns, const Segment& segment, Index head, Index width) {
  return {columns.matrix.data() + segment.row * columns.matrix.dim(1) + columns.first +
              head * columns.step,
          columns.matrix.dim(1), segment.rows, width};
}

// All that the passes need to know, without Vars.
struct Problem {
  HeadMatrix query;
  HeadMatrix key;
  HeadMatrix value;
  Segments queries;
  Segments keys;
  AttentionOptions options;

  Index most_keys() const {
    Index most = 0;
    for (const Segment& segment : keys.list) {
      most = std::max(most, segment.rows);
    }
    return most;
  }

  HeadProblem at(Index segment, Index head) const {
    const auto& patterns = options.patterns;
    const Index key_head = options.key_head(head);
    return {.query = rows_of(query, queries[segment], head, options.d_key),
            .key = rows_of(key, keys[segment], key_head, options.d_key),
            .value = rows_of(value, keys[segment], key_head, options.d_value),
            .query_position = queries[segment].position,
            .key_position = keys[segment].position,
            .pattern = patterns[patterns.size() == 1 ? 0 : static_cast<std::size_t>(head)],
            .query_row = queries.first_row + queries[segment].row,
            .head = head};
  }
};

void check(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
           const Segments& queries, const Segments& keys, const AttentionOptions& options) {
  const Index N = row_count(queries);
  const Index key_heads = options.key_heads();
  if (key_heads < 1 || options.heads % key_heads != 0) {
    throw ShapeError(
        fmt::format("attention: {} heads of keys cannot serve {} heads of queries, as many each",
                    key_heads, options.heads));
  }
  expect_heads(query, N, options.heads, options.d_key, "attention.query");
  if (query.matrix.shape()[0] != N) {
    wrong_shape("attention.query", fmt::format("the {} rows of the query segments", N),
                query.matrix.shape());
  }
  expect_heads(key, row_count(keys), key_heads, options.d_key, "attention.key");
  expect_heads(value, row_count(keys), key_heads, options.d_value, "attention.value");
  if (queries.count() != keys.count()) {
    throw ShapeError(fmt::format("attention: {} query segments, but {} key segments",
                                 queries.count(), keys.count()));
  }
  const auto patterns = static_cast<Index>(options.patterns.size());
  if (patterns != 1 && patterns != options.heads) {
    throw ShapeError(fmt::format("attention: {} patterns for {} heads: give one, or one for each",
                                 patterns, options.heads));
  }
}

Problem problem_of(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
                   const Segments& queries, const Segments& keys, const AttentionOptions& options) {
  return {.query = {query, options.d_key},
          .key = {key, options.d_key},
          .value = {value, options.d_value},
          .queries = queries,
          .keys = keys,
          .options = options};
}

// The only query of a segment, with the keys that it may attend to: one range for all heads.
SingleQuery single_query(const Problem& problem, Index segment) {
  const AttentionOptions& options = problem.options;
  const HeadProblem first = problem.at(segment, 0);
  const PositionRange range = first.pattern.range(first.query_position);
  const Index keys = first.key.rows;
  const Index begin = std::clamp<Index>(range.first - first.key_position, 0, keys);
  const Index end = std::clamp<Index>(range.last + 1 - first.key_position, begin, keys);
  return {.query = first.query.data,
          .query_step = problem.query.step,
          .key = first.key.row(begin),
          .key_stride = first.key.stride,
          .key_step = problem.key.step,
          .value = first.value.row(begin),
          .value_stride = first.value.stride,
          .value_step = problem.value.step,
          .keys = end - begin,
          .heads = options.heads,
          .heads_of_key = options.heads / options.key_heads(),
          .d_key = options.d_key,
          .d_value = options.d_value,
          .scale = options.score_factor()};
}

Tensor forward(const Problem& problem, Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const Index N = problem.query.matrix.dim(0);
  const Index width = options.heads * options.d_value;
  const bool alike = options.patterns.size() == 1 && !options.dropout.active();
  AttentionKernel kernel(options.d_key, options.d_value, options.score_factor(), options.dropout);
  Tensor room = Tensor::empty({single_query_room(problem.most_keys(), options.heads)});
  Tensor y = Tensor::empty({N, width});
  for (Index s = 0; s < problem.queries.count(); ++s) {
    const Index row = problem.queries[s].row;
    if (alike && problem.queries[s].rows == 1) {
      const Index next = std::min(s + 1, problem.queries.count() - 1);
      attend_single(single_query(problem, s), single_query(problem, next), room.data(), y.row(row),
                    log_sums.data() + row, N);
      continue;
    }
    for (Index head = 0; head < options.heads; ++head) {
      kernel.forward(problem.at(s, head), y.row(row) + head * options.d_value, width,
                     log_sums.row(head) + row);
    }
  }
  return y;
}

void backward(Gradients& g, const Problem& problem, const Tensor& output, const Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const HeadMatrix y{output, 0, options.d_value};
  const HeadMatrix dy{g.output(), 0, options.d_value};
  AttentionKernel kernel(options.d_key, options.d_value, options.score_factor(), options.dropout);
  const HeadGradient dquery(g, 0, problem.query);
  const HeadGradient dkey(g, 1, problem.key);
  const HeadGradient dvalue(g, 2, problem.value);
  for (Index s = 0; s < problem.queries.count(); ++s) {
    const Segment& query = problem.queries[s];
    const Segment& key = problem.keys[s];
    for (Index head = 0; head < options.heads; ++head) {
      kernel.backward(problem.at(s, head), rows_of(y, query, head, options.d_value),
                      rows_of(dy, query, head, options.d_value), log_sums.row(head) + query.row,
                      {.dquery = dquery.at(query.row, head),
                       .dquery_stride = dquery.stride(),
                       .dkey = dkey.at(key.row, options.key_head(head)),
                       .dkey_stride = dkey.stride(),
                       .dvalue = dvalue.at(key.row, options.key_head(head)),
                       .dvalue_stride = dvalue.stride()});
    }
  }
}

}  // namespace

Var attention(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
              const Segments& query_segments, const Segments& key_segments,
              const AttentionOptions& options) {
  check(query, key, value, query_segments, key_segments, options);
  Problem problem = problem_of(query, key, value, query_segments, key_segments, options);
  Tensor log_sums = Tensor::empty({options.heads, query.matrix.shape()[0]});
  Tensor y = forward(problem, log_sums);
  return query.matrix.tape().record(
      "attention", {query.matrix, key.matrix, value.matrix}, y,
      [problem = std::move(problem), y, log_sums = std::move(log_sums)](Gradients& g) {
        backward(g, problem, y, log_sums);
      });
}

Tensor attention_weights(const HeadColumns& query, const HeadColumns& key,
                         const Segments& query_segments, const Segments& key_segments,
                         const AttentionOptions& options, Index segment, Index head) {
  AttentionOptions plain = options;
  plain.d_value = options.d_key;
  plain.dropout = {};
  check(query, key, key, query_segments, key_segments, plain);
  const Problem problem = problem_of(query, key, key, query_segments, key_segments, plain);
  const HeadProblem one = problem.at(segment, head);
  AttentionKernel kernel(plain.d_key, plain.d_value, plain.score_factor(), plain.dropout);
  Tensor log_sums = Tensor::empty({one.query.rows});
  Tensor y = Tensor::empty({one.query.rows, plain.d_value});
  kernel.forward(one, y.data(), plain.d_value, log_sums.data());
  Tensor weights = Tensor::empty({one.query.rows, one.key.rows});
  kernel.weights(one, log_sums.data(), weights.data());
  return weights;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
