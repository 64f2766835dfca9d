#include "core/ops/attention/problem.hpp"

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void check(const AttentionCall& call) {
  const auto& [query, key, value, queries, keys, options, bias, score_weights, sink_query] = call;
  const Index N = row_count(queries);
  const Index key_heads = options.key_heads();
  if (key_heads < 1 || options.heads % key_heads != 0) {
    throw ShapeError(
        "attention: the number of key heads must divide the number of query heads ({} key heads, "
        "{} query heads)",
        key_heads, options.heads);
  }
  expect_heads(query, N, options.heads, options.d_key, "attention.query");
  if (query.matrix.shape()[0] != N) {
    wrong_shape("attention.query", fmt::format("the {} rows of the query segments", N),
                query.matrix.shape());
  }
  if (sink_query) {
    expect_heads(*sink_query, N, options.heads, options.d_key, "attention.sink_query");
  }
  for (const Segment& segment : keys.list) {
    if (segment.row < 0 || segment.rows < 0) {
      throw ShapeError("attention: a key segment of {} rows begins at row {}", segment.rows,
                       segment.row);
    }
  }
  expect_heads(key, row_count(keys), key_heads, options.d_key, "attention.key");
  expect_heads(value, row_count(keys), key_heads, options.d_value, "attention.value");
  if (queries.count() != keys.count()) {
    throw ShapeError("attention: {} query segments, but {} key segments", queries.count(),
                     keys.count());
  }
  const auto expect_one_or_each = [heads = options.heads](Index count, const char* what) {
    if (count != 1 && count != heads) {
      throw ShapeError("attention: {} {} for {} heads: give one, or one for each", count, what,
                       heads);
    }
  };
  expect_one_or_each(std::ssize(options.patterns), "patterns");
  if (!options.scores.empty()) {
    expect_one_or_each(std::ssize(options.scores), "scores");
  }
  const Index numbers = score_weights ? score_weights->shape().size() : 0;
  if (numbers != options.score_weights_before(options.heads)) {
    throw ShapeError("attention.score_weights: {} numbers, but the scores need {}", numbers,
                     options.score_weights_before(options.heads));
  }
  expect_bias(bias, N, options.heads, options.d_value);
}

}  // namespace

AttentionProblem attention_problem(const AttentionCall& call) {
  check(call);
  const auto& [query, key, value, queries, keys, options, bias, score_weights, sink_query] = call;
  return {.query = query.of(options.heads, options.d_key),
          .sink_query = sink_query ? std::optional(sink_query->of(options.heads, options.d_key))
                                   : std::nullopt,
          .key = key.of(options.key_heads(), options.d_key),
          .value = value.of(options.key_heads(), options.d_value),
          .queries = queries,
          .keys = keys,
          .options = options,
          .bias = BiasValues(bias),
          .score_weights =
              options.score_weights_before(options.heads) > 0 ? score_weights->value() : Tensor(),
          .kept = std::ranges::all_of(options.patterns,
                                      [](const Pattern& p) { return p.top_count() == 0; })
                      ? Tensor()
                      : Tensor::empty({2 * options.heads, query.matrix.shape()[0]})};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
