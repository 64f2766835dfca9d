#include "core/ops/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/dims.hpp"
#include "core/errors.hpp"
#include "core/ops/attention_kernel.hpp"
#include "core/ops/attention_single.hpp"
#include "core/pattern_pieces.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

HeadRows rows_of(const HeadMatrix& columns, const Segment& segment, Index head, Index width) {
  return {columns.matrix.data() + segment.row * columns.matrix.dim(1) + columns.first +
              head * columns.step,
          columns.matrix.dim(1), segment.rows, width};
}

HeadRows rows_at(const HeadRows& rows, const RowSteps& steps) {
  return {rows.row(steps.first), rows.stride * steps.step, steps.rows, rows.width, steps.step > 1};
}

// All that the passes need to know, without Vars.
struct Problem {
  HeadMatrix query;
  HeadMatrix key;
  HeadMatrix value;
  Segments queries;
  Segments keys;
  AttentionOptions options;
  BiasValues bias;
  Tensor kept;  // (2 heads, N): what a query keeps of its scores, for patterns of the largest

  const Pattern& pattern(Index head) const {
    const auto& patterns = options.patterns;
    return patterns[patterns.size() == 1 ? 0 : static_cast<std::size_t>(head)];
  }

  Index most_keys() const {
    Index most = 0;
    for (const Segment& segment : keys.list) {
      most = std::max(most, segment.rows);
    }
    return most;
  }

  // With the whole pattern: what its near keys do not tell is left to the mask.
  HeadProblem at(Index segment, Index head) const {
    const Pattern& whole = pattern(head);
    const Index key_head = options.key_head(head);
    return {.query = rows_of(query, queries[segment], head, options.d_key),
            .key = rows_of(key, keys[segment], key_head, options.d_key),
            .value = rows_of(value, keys[segment], key_head, options.d_value),
            .query_position = queries[segment].position,
            .key_position = keys[segment].position,
            .ranges = whole.bounds(),
            .mask = whole.only_near() ? nullptr : &whole,
            .draws = {.head = head,
                      .query_row = queries.first_row + queries[segment].row,
                      .position = keys[segment].position},
            .kept = kept_scores(segment, head),
            .bias = bias.head(queries[segment], head)};
  }

  KeptScores kept_scores(Index segment, Index head) const {
    if (pattern(head).top_count() == 0) {
      return {};
    }
    Tensor rows = kept;
    return {.count = pattern(head).top_count(),
            .least = rows.row(2 * head) + queries[segment].row,
            .last = rows.row(2 * head + 1) + queries[segment].row};
  }

  // Calls visit(problem, piece) for the pieces of the pattern, the first of which has all queries.
  // A bias needs neighbours, a rule and the largest scores need all keys: then there is one piece.
  template <class Visitor>
  void for_each_piece(Index segment, Index head, const Visitor& visit) const {
    const HeadProblem whole = at(segment, head);
    if (bias.any() || pattern(head).has_rule() || pattern(head).top_count() > 0) {
      visit(whole, PatternPiece{.queries = {.rows = whole.query.rows},
                                .keys = {.rows = whole.key.rows},
                                .query_position = whole.query_position,
                                .key_position = whole.key_position,
                                .ranges = whole.ranges});
      return;
    }
    tapehead::for_each_piece(pattern(head), queries[segment], keys[segment],
                             [&](const PatternPiece& piece) {
                               HeadProblem part = whole;
                               part.query = rows_at(whole.query, piece.queries);
                               part.key = rows_at(whole.key, piece.keys);
                               part.value = rows_at(whole.value, piece.keys);
                               part.query_position = piece.query_position;
                               part.key_position = piece.key_position;
                               part.ranges = piece.ranges;
                               part.mask = nullptr;
                               part.draws = whole.draws.from(piece.queries.first, piece.keys.first);
                               part.draws.query_step = piece.queries.step;
                               part.draws.key_step = piece.keys.step;
                               visit(part, piece);
                             });
  }
};

void check(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
           const Segments& queries, const Segments& keys, const AttentionOptions& options,
           const AttentionBias& bias) {
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
  expect_bias(bias, N, options.heads, options.d_value);
}

Problem problem_of(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
                   const Segments& queries, const Segments& keys, const AttentionOptions& options,
                   const AttentionBias& bias) {
  return {.query = {query, options.d_key},
          .key = {key, options.d_key},
          .value = {value, options.d_value},
          .queries = queries,
          .keys = keys,
          .options = options,
          .bias = BiasValues(bias),
          .kept = std::ranges::all_of(options.patterns,
                                      [](const Pattern& p) { return p.top_count() == 0; })
                      ? Tensor()
                      : Tensor::empty({2 * options.heads, query.matrix.shape()[0]})};
}

// The only query of a segment, with the keys that it may attend to: one range for all heads.
SingleQuery single_query(const Problem& problem, Index segment) {
  const AttentionOptions& options = problem.options;
  const HeadProblem first = problem.at(segment, 0);
  const PositionRange range = first.ranges.of(first.query_position);
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
          .scale = options.score_factor(),

          .distance = first.key_position + begin - first.query_position,
          .row = problem.queries[segment],
          .bias = &problem.bias};
}

Tensor forward(const Problem& problem, Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const Index N = problem.query.matrix.dim(0);
  const Index width = options.heads * options.d_value;
  const bool alike = options.patterns.size() == 1 && problem.pattern(0).only_near() &&
                     problem.pattern(0).top_count() == 0 && !options.dropout.active() &&
                     !BiasValues::given(problem.bias.values);
  AttentionKernel kernel(options.d_key, options.d_value, options.score_factor(), options.dropout,
                         problem.bias.values);
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
      bool more = false;
      problem.for_each_piece(s, head, [&](const HeadProblem& part, const PatternPiece& piece) {
        const auto& [first, rows, step] = piece.queries;
        kernel.forward(part,
                       {.rows = y.row(row + first) + head * options.d_value,
                        .stride = width * step,
                        .log_sums = log_sums.row(head) + row + first,
                        .log_sums_stride = step},
                       std::exchange(more, true));
      });
    }
  }
  return y;
}

void backward(Gradients& g, const Problem& problem, const Tensor& output, const Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const HeadMatrix y{output, 0, options.d_value};
  const HeadMatrix dy{g.output(), 0, options.d_value};
  AttentionKernel kernel(options.d_key, options.d_value, options.score_factor(), options.dropout,
                         problem.bias.values);
  const HeadGradient dquery(g, 0, problem.query);
  const HeadGradient dkey(g, 1, problem.key);
  const HeadGradient dvalue(g, 2, problem.value);
  const BiasTargets dbias(g, problem.bias, 3);
  for (Index s = 0; s < problem.queries.count(); ++s) {
    const Segment& query = problem.queries[s];
    const Segment& key = problem.keys[s];
    for (Index head = 0; head < options.heads; ++head) {
      problem.for_each_piece(s, head, [&](const HeadProblem& part, const PatternPiece& piece) {
        const Index query_row = query.row + piece.queries.first;
        const Index key_row = key.row + piece.keys.first;
        kernel.backward(part, rows_at(rows_of(y, query, head, options.d_value), piece.queries),
                        rows_at(rows_of(dy, query, head, options.d_value), piece.queries),
                        log_sums.row(head) + query_row, piece.queries.step,
                        {.dquery = dquery.at(query_row, head),
                         .dquery_stride = dquery.stride() * piece.queries.step,
                         .dkey = dkey.at(key_row, options.key_head(head)),
                         .dkey_stride = dkey.stride() * piece.keys.step,
                         .dvalue = dvalue.at(key_row, options.key_head(head)),
                         .dvalue_stride = dvalue.stride() * piece.keys.step,
                         .dbias = dbias.head(query, head)});
      });
    }
  }
}

}  // namespace

Var attention(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
              const Segments& query_segments, const Segments& key_segments,
              const AttentionOptions& options, const AttentionBias& bias) {
  check(query, key, value, query_segments, key_segments, options, bias);
  Problem problem = problem_of(query, key, value, query_segments, key_segments, options, bias);
  Tensor log_sums = Tensor::empty({options.heads, query.matrix.shape()[0]});
  Tensor y = forward(problem, log_sums);
  PoolVector<Var> inputs{query.matrix, key.matrix, value.matrix};
  append_inputs(bias, inputs);
  return query.matrix.tape().record(
      "attention", inputs, y,
      [problem = std::move(problem), y, log_sums = std::move(log_sums)](Gradients& g) {
        backward(g, problem, y, log_sums);
      });
}

Tensor attention_weights(const HeadColumns& query, const HeadColumns& key,
                         const Segments& query_segments, const Segments& key_segments,
                         const AttentionOptions& options, Index segment, Index head,
                         const AttentionBias& bias) {
  AttentionBias of_scores = bias;
  of_scores.values.reset();
  AttentionOptions plain = options;
  plain.d_value = options.d_key;
  plain.dropout = {};
  check(query, key, key, query_segments, key_segments, plain, of_scores);
  const Problem problem =
      problem_of(query, key, key, query_segments, key_segments, plain, of_scores);
  const Index n = query_segments[segment].rows;
  const Index m = key_segments[segment].rows;
  AttentionKernel kernel(plain.d_key, plain.d_value, plain.score_factor(), plain.dropout, {});
  Tensor log_sums = Tensor::empty({n});
  Tensor y = Tensor::empty({n, plain.d_value});
  bool more = false;
  problem.for_each_piece(segment, head, [&](const HeadProblem& part, const PatternPiece& piece) {
    const auto& [first, rows, step] = piece.queries;
    kernel.forward(part,
                   {.rows = y.row(first),
                    .stride = plain.d_value * step,
                    .log_sums = log_sums.data() + first,
                    .log_sums_stride = step},
                   std::exchange(more, true));
  });
  Tensor weights = Tensor::zeros({n, m});
  problem.for_each_piece(segment, head, [&](const HeadProblem& part, const PatternPiece& piece) {
    kernel.weights(part, log_sums.data() + piece.queries.first, piece.queries.step,
                   weights.row(piece.queries.first) + piece.keys.first, m * piece.queries.step,
                   piece.keys.step);
  });
  return weights;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
