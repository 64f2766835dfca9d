// The input of the attention op without Vars, and its division into problems for the kernel.
#pragma once

#include "core/ops/attention/attention_options.hpp"
#include "core/ops/attention/bias.hpp"
#include "core/ops/attention/kernel.hpp"
#include "core/ops/heads/head_columns.hpp"
#include "core/sequence/batch.hpp"
#include "core/sequence/pattern.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// One head's columns of the rows of a segment.
inline HeadRows rows_of(const HeadMatrix& columns, const Segment& segment, Index head) {
  return {{columns.at(segment.row, head), columns.matrix.dim(1), segment.rows, columns.width}};
}

// Every step-th row, from steps.first on.
inline HeadRows rows_at(const HeadRows& rows, const RowSteps& steps) {
  return {{rows.row(steps.first), rows.stride * steps.step, steps.rows, rows.columns},
          steps.step > 1};
}

// All inputs of the forward and the backward pass, without Vars.
struct AttentionProblem {
  HeadMatrix query;
  std::optional<HeadMatrix> sink_query;
  HeadMatrix key;
  HeadMatrix value;
  Segments queries;
  Segments keys;
  AttentionOptions options;
  BiasValues bias;
  Tensor score_weights;
  Tensor kept;  // (2 heads, N): the smallest score that a query keeps, and its key; for `top`
                // patterns

  const Pattern& pattern(Index head) const {
    const auto& patterns = options.patterns;
    return patterns[patterns.size() == 1 ? 0 : static_cast<std::size_t>(head)];
  }

  // A kernel with scratch memory for these options and segments.
  AttentionKernel kernel() const { return {options, most_rows(queries), bias.values}; }

  // The problem with the whole pattern. The mask covers what the ranges cannot express.
  HeadProblem at(Index segment, Index head) const {
    const Pattern& whole = pattern(head);
    const Index prefix = queries[segment].prefix;
    const Index key_head = options.key_head(head);
    return {.query = rows_of(query, queries[segment], head),
            .key = rows_of(key, keys[segment], key_head),
            .value = rows_of(value, keys[segment], key_head),
            .query_position = queries[segment].position,
            .key_position = keys[segment].position,
            .ranges = whole.bounds(prefix),
            .mask = whole.is_range(prefix) ? nullptr : &whole,
            .prefix = prefix,
            .draws = {.head = head,
                      .query_row = queries.first_row + queries[segment].row,
                      .position = keys[segment].position},
            .kept = kept_scores(segment, head),
            .bias = bias.head(queries[segment], head),
            .score = score(head)};
  }

  HeadScore score(Index head) const {
    const PairScore* function = options.score(head);
    if (function == nullptr || !score_weights.has_memory()) {
      return {.function = function};
    }
    return {.function = function,
            .weights = score_weights.values().subspan(
                static_cast<std::size_t>(options.score_weights_before(head)),
                static_cast<std::size_t>(function->weight_count(options.d_key)))};
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

  // Calls visit(problem, range) for each part of the pattern; the first part has all queries. There
  // is only one part if the keys must be neighbours (bias) or complete (rule, prefix, `top`).
  template <class Visitor>
  void for_each_pattern_range(Index segment, Index head, const Visitor& visit) const {
    const HeadProblem whole = at(segment, head);
    if (bias.any() || pattern(head).has_rule() || pattern(head).top_count() > 0 ||
        whole.prefix > 0) {
      visit(whole,
            PatternRange{.queries = {.rows = whole.query.rows, .position = whole.query_position},
                         .keys = {.rows = whole.key.rows, .position = whole.key_position},
                         .ranges = whole.ranges});
      return;
    }
    tapehead::for_each_pattern_range(
        pattern(head), queries[segment], keys[segment], [&](const PatternRange& range) {
          HeadProblem part = whole;
          part.query =
              rows_at(range.of_sinks && sink_query ? rows_of(*sink_query, queries[segment], head)
                                                   : whole.query,
                      range.queries);
          part.key = rows_at(whole.key, range.keys);
          part.value = rows_at(whole.value, range.keys);
          part.query_position = range.queries.position;
          part.key_position = range.keys.position;
          part.ranges = range.ranges;
          part.mask = nullptr;
          part.draws = whole.draws.from(range.queries.first, range.keys.first);
          part.draws.query_step = range.queries.step;
          part.draws.key_step = range.keys.step;
          visit(part, range);
        });
  }
};

// Throws ShapeError if the shapes do not match.
AttentionProblem attention_problem(const AttentionCall& call);

}}  // namespace tapehead::TAPEHEAD_PRECISION
