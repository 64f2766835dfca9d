#include "core/ops/attention/attention.hpp"

#include "core/ops/attention/problem.hpp"
#include "core/ops/attention/single.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// One head of one segment, whose first row goes to `out`.
void forward(AttentionKernel& kernel, const AttentionProblem& problem, Index segment, Index head,
             const HeadOutput& out) {
  bool more = false;
  const auto add = [&](const HeadProblem& part, const PatternRange& range) {
    const RowSteps& queries = range.queries;
    kernel.forward(part,
                   {.rows = out.rows + queries.first * out.stride,
                    .stride = out.stride * queries.step,
                    .log_sums = out.log_sums + queries.first * out.log_sums_stride,
                    .log_sums_stride = out.log_sums_stride * queries.step},
                   std::exchange(more, true));
  };
  problem.for_each_pattern_range(segment, head, add);
}

Tensor forward(const AttentionProblem& problem, Tensor& log_sums) {
  const AttentionOptions& options = problem.options;
  const Index N = problem.query.matrix.dim(0);
  const Index width = options.heads * options.d_value;
  const bool alike = options.patterns.size() == 1 && problem.pattern(0).top_count() == 0 &&
                     !options.dropout.active() && !BiasValues::given(problem.bias.values) &&
                     options.scores.empty();
  AttentionKernel kernel = problem.kernel(problem.bias.values);
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
  const HeadMatrix y{output, 0, options.d_value};
  const HeadMatrix dy{g.output(), 0, options.d_value};
  AttentionKernel kernel = problem.kernel(problem.bias.values);
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
                part, rows_at(rows_of(y, query, head, options.d_value), range.queries),
                rows_at(rows_of(dy, query, head, options.d_value), range.queries),
                log_sums.row(head) + query_row, range.queries.step,
                {.dquery = dqueries.at(query_row, head),
                 .dquery_stride = dqueries.stride() * range.queries.step,
                 .dkey = dkey.at(key_row, options.key_head(head)),
                 .dkey_stride = dkey.stride() * range.keys.step,
                 .dvalue = dvalue.at(key_row, options.key_head(head)),
                 .dvalue_stride = dvalue.stride() * range.keys.step,
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
  AttentionProblem problem = attention_problem(query, key, value, query_segments, key_segments,
                                               options, bias, score_weights, sink_query);
  Tensor log_sums = Tensor::empty({options.heads, query.matrix.shape()[0]});
  Tensor y = forward(problem, log_sums);
  PoolVector<Var> inputs{query.matrix, key.matrix, value.matrix};
  if (problem.score_weights.has_memory()) {
    inputs.push_back(*score_weights);
  }
  if (sink_query) {
    inputs.push_back(sink_query->matrix);
  }
  append_inputs(bias, inputs);
  return query.matrix.tape().record(
      "attention", inputs, y,
      [problem = std::move(problem), y, log_sums = std::move(log_sums)](Gradients& g) {
        backward(g, problem, y, log_sums);
      });
}

HeadAttention head_attention(const HeadColumns& query, const HeadColumns& key,
                             const Segments& query_segments, const Segments& key_segments,
                             const AttentionOptions& options, Index segment, Index head,
                             const AttentionBias& bias, const std::optional<Var>& score_weights,
                             const std::optional<HeadColumns>& sink_query) {
  AttentionBias of_scores = bias;
  of_scores.values.reset();
  AttentionOptions plain = options;
  plain.d_value = options.d_key;
  plain.dropout = {};
  const AttentionProblem problem = attention_problem(query, key, key, query_segments, key_segments,
                                                     plain, of_scores, score_weights, sink_query);
  const Index n = query_segments[segment].rows;
  const Index m = key_segments[segment].rows;
  AttentionKernel kernel = problem.kernel({});
  Tensor log_sums = Tensor::empty({n});
  Tensor y = Tensor::empty({n, plain.d_value});
  forward(kernel, problem, segment, head, {y.data(), plain.d_value, log_sums.data(), 1});
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
