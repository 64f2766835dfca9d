// Splits a pattern into parts whose keys form one range for each query, so that keys outside cost
// nothing.
#pragma once

#include <algorithm>

#include "core/sequence/pattern.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead {

// Every `step`-th row from `first` on.
struct RowSteps {
  Index first = 0;
  Index rows = 0;
  Index step = 1;
};

// Some queries and keys, and the range of those keys for each query, both counted in steps: the
// first query is at query_position, the first key at key_position.
struct PatternRange {
  RowSteps queries;
  RowSteps keys;
  Index query_position;
  Index key_position;
  KeyRanges ranges;
  bool of_sinks = false;
};

// The rows of a segment whose position modulo `step` is `rest`.
inline RowSteps rows_with_rest(const Segment& segment, Index rest, Index step) {
  const Index first = ((rest - segment.position) % step + step) % step;
  return {.first = first,
          .rows = first < segment.rows ? (segment.rows - first + step - 1) / step : 0,
          .step = step};
}

// Calls visit(range) for parts that share no pair and together form the pattern, the near keys
// first. The other parts of a strided pattern are the queries and keys with the same remainder, at
// least two steps apart. Those of a fixed pattern are all queries with the keys at one place in all
// other blocks. That of a window with sinks are the sinks, with the queries whose window begins
// behind the first key.
template <class Visitor>
void for_each_pattern_range(const Pattern& pattern, const Segment& queries, const Segment& keys,
                            const Visitor& visit) {
  visit(PatternRange{.queries = {.rows = queries.rows},
                     .keys = {.rows = keys.rows},
                     .query_position = queries.position,
                     .key_position = keys.position,
                     .ranges = pattern.near()});
  const auto visit_far = [&](PatternRange range, Index query_unit, Index apart) {
    if (range.queries.rows == 0 || range.keys.rows == 0) {
      return;
    }
    range.ranges = {.after = -apart, .query_unit = query_unit};
    visit(range);
    if (!pattern.looks_back()) {
      range.ranges = {.before = -apart, .query_unit = query_unit};
      visit(range);
    }
  };
  if (const Index stride = pattern.far_stride(); stride > 0) {
    for (Index row = 0; row < std::min(stride, queries.rows); ++row) {
      const Index position = queries.position + row;
      const Index rest = position - KeyRanges::unit(position, stride) * stride;
      const RowSteps class_keys = rows_with_rest(keys, rest, stride);
      visit_far({.queries = {row, (queries.rows - row + stride - 1) / stride, stride},
                 .keys = class_keys,
                 .query_position = KeyRanges::unit(position, stride),
                 .key_position = KeyRanges::unit(keys.position + class_keys.first, stride),
                 .ranges = {}},
                1, 2);
    }
  }
  const Index size = pattern.near().query_unit;
  for (Index place = size - pattern.summaries(); place < size; ++place) {
    const RowSteps place_keys = rows_with_rest(keys, place, size);
    visit_far({.queries = {.rows = queries.rows},
               .keys = place_keys,
               .query_position = queries.position,
               .key_position = KeyRanges::unit(keys.position + place_keys.first, size),
               .ranges = {}},
              size, 1);
  }
  if (pattern.sinks() == 0) {
    return;
  }
  const Index sinks = std::clamp<Index>(pattern.sinks() - keys.position, 0, keys.rows);
  const Index apart = pattern.near().before + 1;
  const Index first = std::clamp<Index>(keys.position + apart - queries.position, 0, queries.rows);
  if (sinks > 0 && first < queries.rows) {
    visit(PatternRange{.queries = {.first = first, .rows = queries.rows - first},
                       .keys = {.rows = sinks},
                       .query_position = queries.position + first,
                       .key_position = keys.position,
                       .ranges = {.after = -apart},
                       .of_sinks = true});
  }
}

}  // namespace tapehead
