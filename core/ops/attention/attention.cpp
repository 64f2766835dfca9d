#include "core/ops/attention/attention.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/memory/prefetch.hpp"
#include "core/ops/attention/problem.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Attention of a single query, the newest token of an output. One query would leave the tiles of
// the attention kernel nearly empty, so here the vector lanes hold the numbers of a head.

// The only query of a segment, and its keys and values: one range of rows for all heads.
struct SingleQuery {
  const AttentionProblem& problem;
  const Segment& segment;
  StoredRows query;
  StoredRows key;
  StoredRows value;
  Index distance;  // from the query to the first key
};

SingleQuery single_query(const AttentionProblem& problem, Index segment) {
  const HeadProblem first = problem.at(segment, 0);
  const PositionRange range = first.ranges.of(first.query_position);
  const Index rows = first.key.rows;
  const Index begin = std::clamp<Index>(range.first - first.key_position, 0, rows);
  const Index end = std::clamp<Index>(range.last + 1 - first.key_position, begin, rows);
  const RowSteps seen{.first = begin, .rows = end - begin};
  return {.problem = problem,
          .segment = problem.queries[segment],
          .query = first.query,
          .key = rows_at(first.key, seen),
          .value = rows_at(first.value, seen),
          .distance = first.key_position + begin - first.query_position};
}

// s[h][j] = scale k_jh · q_h, and -inf after the last key. The outer loop is over keys, because the
// heads of a key are adjacent. Fetching keys and values takes most of the time.
void scores(const SingleQuery& single, const SingleQuery& next, Scalar* s) {
  const AttentionProblem& problem = single.problem;
  const Index heads = problem.options.heads;
  const Index key_heads = problem.options.key_heads();
  const Index heads_of_key = heads / key_heads;
  const Scalar scale = problem.options.score_factor();
  const Index padded = whole_vectors(single.key.rows);
  for (Index j = 0; j < single.key.rows; ++j) {
    if (j < next.key.rows) {
      prefetch(next.key.row(j), (key_heads - 1) * problem.key.step + single.key.columns);
      prefetch(next.value.row(j), (key_heads - 1) * problem.value.step + single.value.columns);
    }
    const Scalar* key = single.key.row(j);
    for (Index h = 0; h < heads; key += problem.key.step) {
      for (Index last = h + heads_of_key; h < last; ++h) {
        const Scalar* query = single.query.data + h * problem.query.step;
        s[h * padded + j] = scale * dot_row(single.key.columns, query, key);
      }
    }
  }
  for (Index h = 0; h < heads; ++h) {
    std::fill(s + h * padded + single.key.rows, s + (h + 1) * padded, minus_infinity);
  }
}

// s[h][j] += the head's bias for the distance of key j.
void add_bias(const SingleQuery& single, Scalar* s) {
  const BiasValues& biases = single.problem.bias;
  const Index padded = whole_vectors(single.key.rows);
  const bool bucketed = biases.buckets.count() > 0;
  std::array<std::int32_t, 128> buckets;
  const auto most = static_cast<Index>(buckets.size());
  for (Index first = 0; first < single.key.rows; first += most) {
    const Index keys = std::min(most, single.key.rows - first);
    if (bucketed) {
      biases.buckets.fill(single.distance + first,
                          std::span(buckets).first(static_cast<std::size_t>(keys)));
    }
    for (Index h = 0; h < single.problem.options.heads; ++h) {
      const HeadBias bias = biases.head(single.segment, h);
      Scalar* scores = s + h * padded + first;
      for (Index j = 0; j < keys; ++j) {
        const auto bucket = bucketed ? buckets[static_cast<std::size_t>(j)] : 0;
        scores[j] -= bias.slope * static_cast<Scalar>(std::abs(single.distance + first + j));
        scores[j] += bias.by_head == nullptr ? Scalar{0} : bias.by_head[bucket];
        scores[j] += bias.by_query == nullptr ? Scalar{0} : bias.by_query[bucket];
      }
    }
  }
}

// One head's y = Σ_j weights[j] v_j / total, for `Vectors` vectors of columns from `column` on.
template <Index Vectors>
void weighted_values(const StoredRows& values, Index column, const Scalar* weights,
                     const Lanes& inverse, Scalar* y) {
  std::array<Lanes, Vectors> sums;
  sums.fill(Lanes(Scalar{0}));
  const Scalar* row = values.data + column;
  for (Index j = 0; j < values.rows; ++j, row += values.stride) {
    const Lanes weight(weights[j]);
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) {
      sums[v] = fused_multiply_add(weight, Lanes::load_unaligned(row + v * lane_count), sums[v]);
    }
  }
#pragma GCC unroll 4
  for (Index v = 0; v < Vectors; ++v) {
    (inverse * sums[v]).store_unaligned(y + column + v * lane_count);
  }
}

void head_output(const StoredRows& values, const Scalar* weights, Scalar total, Scalar* y) {
  const Lanes inverse(1 / total);
  constexpr Index most = 4;
  Index column = 0;
  for (; column + most * lane_count <= values.columns; column += most * lane_count) {
    weighted_values<most>(values, column, weights, inverse, y);
  }
  for (; column + lane_count <= values.columns; column += lane_count) {
    weighted_values<1>(values, column, weights, inverse, y);
  }
  for (; column < values.columns; ++column) {
    Scalar sum = 0;
    for (Index j = 0; j < values.rows; ++j) {
      sum += weights[j] * values.row(j)[column];
    }
    y[column] = sum / total;
  }
}

// For each head of the only query of a segment: y = softmax(scale q Kᵀ + bias) V, and the
// log-sum-exp of the scores; without keys, zeros and -inf. The pattern must be one range of keys
// for all heads. y: heads * d_value numbers; log_sums: one for each head, `log_sums_stride` apart;
// room: scratch memory, whole_vectors(keys) numbers for each head. Prefetches the next segment.
void attend_single(const AttentionProblem& problem, Index segment, Scalar* room, Scalar* y,
                   Scalar* log_sums, Index log_sums_stride) {
  const SingleQuery single = single_query(problem, segment);
  scores(single, single_query(problem, std::min(segment + 1, problem.queries.count() - 1)), room);
  if (problem.bias.any()) {
    add_bias(single, room);
  }
  const Index padded = whole_vectors(single.key.rows);
  for (Index h = 0; h < problem.options.heads; ++h, y += single.value.columns) {
    Scalar* weights = room + h * padded;
    if (padded == 0) {
      std::fill_n(y, single.value.columns, Scalar{0});
      log_sums[h * log_sums_stride] = minus_infinity;
      continue;
    }
    // weights[j] = exp(s_j - max s), in place
    const Scalar largest = max_row(padded, weights);
    const auto weigh = [m = Lanes(largest)](auto score) { return exp_of_small(score - m); };
    map_row(padded, weights, weigh, weights);
    const Scalar total = total_row(padded, weights);
    StoredRows values = single.value;
    values.data += problem.options.key_head(h) * problem.value.step;
    head_output(values, weights, total, y);
    log_sums[h * log_sums_stride] = largest + std::log(total);
  }
}

// Computes one head of one segment. `out` begins at the segment's first row.
void forward(AttentionKernel& kernel, const AttentionProblem& problem, Index segment, Index head,
             const HeadOutput& out) {
  bool more = false;
  problem.for_each_pattern_range(
      segment, head, [&](const HeadProblem& part, const PatternRange& range) {
        const RowSteps& queries = range.queries;
        kernel.forward(part,
                       {.rows = out.rows + queries.first * out.stride,
                        .stride = out.stride * queries.step,
                        .log_sums = out.log_sums + queries.first * out.log_sums_stride,
                        .log_sums_stride = out.log_sums_stride * queries.step},
                       std::exchange(more, true));
      });
}

Tensor forward(const AttentionProblem& problem, Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const Index N = problem.query.matrix.dim(0);
  const Index width = options.heads * options.d_value;
  const bool alike = options.patterns.size() == 1 && problem.pattern(0).top_count() == 0 &&
                     !options.dropout.active() && !BiasValues::given(problem.bias.values) &&
                     options.scores.empty();
  AttentionKernel kernel = problem.kernel();
  Tensor room = Tensor::empty({options.heads, whole_vectors(most_rows(problem.keys))});
  Tensor y = Tensor::empty({N, width});
  for (Index s = 0; s < problem.queries.count(); ++s) {
    const Index row = problem.queries[s].row;
    if (alike && problem.queries[s].rows == 1 &&
        problem.pattern(0).is_range(problem.queries[s].prefix)) {
      attend_single(problem, s, room.data(), y.row(row), log_sums.data() + row, N);
      continue;
    }
    for (Index head = 0; head < options.heads; ++head) {
      forward(kernel, problem, s, head,
              {y.row(row) + head * options.d_value, width, log_sums.row(head) + row, 1});
    }
  }
  return y;
}

void backward(Gradients& g, const AttentionProblem& problem, const Tensor& output,
              const Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const HeadMatrix y{output, 0, options.d_value, options.heads, options.d_value};
  const HeadMatrix dy{g.output(), 0, options.d_value, options.heads, options.d_value};
  AttentionKernel kernel = problem.kernel();
  const HeadGradient dquery(g, 0, problem.query);
  const HeadGradient dkey(g, 1, problem.key);
  const HeadGradient dvalue(g, 2, problem.value);
  const bool scored = problem.score_weights.has_memory();
  Scalar* dscores = scored ? g.sum(3) : nullptr;
  Index next = scored ? 4 : 3;
  const HeadGradient dsink_query =
      problem.sink_query ? HeadGradient(g, next++, *problem.sink_query) : dquery;
  const HeadBiasTargets dbias = problem.bias.targets(g, next);
  for (Index s = 0; s < problem.queries.count(); ++s) {
    const Segment& query = problem.queries[s];
    const Segment& key = problem.keys[s];
    for (Index head = 0; head < options.heads; ++head) {
      problem.for_each_pattern_range(
          s, head, [&](const HeadProblem& part, const PatternRange& range) {
            const Index query_row = query.row + range.queries.first;
            const Index key_row = key.row + range.keys.first;
            const HeadGradient& dqueries = range.of_sinks ? dsink_query : dquery;
            kernel.backward(
                part, rows_at(rows_of(y, query, head), range.queries),
                rows_at(rows_of(dy, query, head), range.queries), log_sums.row(head) + query_row,
                range.queries.step,
                {.dquery = dqueries.rows_from(query_row, head, range.queries.step),
                 .dkey = dkey.rows_from(key_row, options.key_head(head), range.keys.step),
                 .dvalue = dvalue.rows_from(key_row, options.key_head(head), range.keys.step),
                 .dbias = problem.bias.targets(dbias, query, head),
                 .dscore_weights =
                     dscores == nullptr ? nullptr : dscores + options.score_weights_before(head)});
          });
    }
  }
}

}  // namespace

Var attention(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
              const Segments& query_segments, const Segments& key_segments,
              const AttentionOptions& options, const AttentionBias& bias,
              const std::optional<Var>& score_weights,
              const std::optional<HeadColumns>& sink_query) {
  return attention_by(
      {query, key, value, query_segments, key_segments, options, bias, score_weights, sink_query});
}

Var attention_by(const AttentionCall& call) {
  AttentionProblem problem = attention_problem(call);
  Tensor log_sums = Tensor::empty({call.options.heads, call.query.matrix.shape()[0]});
  Tensor y = forward(problem, log_sums);
  PoolVector<Var> inputs{call.query.matrix, call.key.matrix, call.value.matrix};
  const auto more = {problem.score_weights.has_memory() ? call.score_weights : std::nullopt,
                     call.sink_query ? std::optional(call.sink_query->matrix) : std::nullopt,
                     call.bias.by_head, call.bias.by_query, call.bias.values};
  for (const std::optional<Var>& input : more) {
    if (input) {
      inputs.push_back(*input);
    }
  }
  return call.query.matrix.tape().record(
      "attention", inputs, y,
      [problem = std::move(problem), y, log_sums = std::move(log_sums)](Gradients& g) {
        backward(g, problem, y, log_sums);
      });
}

HeadAttention head_attention(AttentionCall call, Index segment, Index head) {
  call.value = call.key;
  call.bias.values.reset();
  call.options.d_value = call.options.d_key;
  call.options.dropout = {};
  const AttentionProblem problem = attention_problem(call);
  const Index n = call.queries[segment].rows;
  const Index m = call.keys[segment].rows;
  AttentionKernel kernel = problem.kernel();
  Tensor log_sums = Tensor::empty({n});
  Tensor y = Tensor::empty({n, call.options.d_value});
  forward(kernel, problem, segment, head, {y.data(), call.options.d_value, log_sums.data(), 1});
  HeadAttention found{.weights = Tensor::zeros({n, m}), .scores = Tensor::empty({n, m})};
  std::ranges::fill(found.scores.values(), minus_infinity);
  problem.for_each_pattern_range(
      segment, head, [&](const HeadProblem& part, const PatternRange& range) {
        const Index first = range.queries.first * m + range.keys.first;
        kernel.weights_and_scores(part, log_sums.data() + range.queries.first, range.queries.step,
                                  found.weights.data() + first, found.scores.data() + first,
                                  m * range.queries.step, range.keys.step);
      });
  return found;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
