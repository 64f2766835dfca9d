// Patterns: which keys a query may attend to inside its sequence, by their positions.
#pragma once

#include "core/sequence/batch.hpp"

namespace tapehead {

// The key positions first ... last, both included; none if last < first.
struct PositionRange {
  Index first;
  Index last;
};

// One range of keys for every query, whose ends never decrease from one query to the next.
// Positions are grouped in units: `query_unit` queries, `key_unit` keys. The range begins `before`
// keys before the first key of the unit of the query. It ends `after` keys after the last key of
// the unit, at most `ahead` after the query, but not before the end of the prefix.
struct KeyRanges {
  static constexpr Index unlimited = std::numeric_limits<Index>::max() / 4;

  Index before = unlimited;
  Index after = unlimited;
  Index query_unit = 1;
  Index key_unit = 1;
  Index ahead = unlimited;
  Index prefix = -unlimited;  // the position after the last key of the prefix

  constexpr PositionRange of(Index query) const {
    const Index first = unit(query, query_unit) * key_unit;
    const Index last = std::min(first + key_unit - 1 + after, query + ahead);
    return {first - before, std::max(last, prefix - 1)};
  }
  constexpr bool all() const {
    return before == unlimited && after == unlimited && ahead == unlimited;
  }
  // The unit of a position, rounded down also for negative positions.
  static constexpr Index unit(Index position, Index size) {
    return size == 1 ? position : (position - (position % size + size) % size) / size;
  }
};

// A rule of your own, see `Pattern::by`: allowed[j] = whether the query may attend to key first + j
using KeyRule = std::function<void(Index query, Index first, std::span<bool> allowed)>;

// Near keys, which form one range for each query, and far keys at regular places or at the start.
class Pattern {
 public:
  static constexpr Index unlimited = KeyRanges::unlimited;

  static Pattern full() { return Pattern(KeyRanges{}); }
  static Pattern causal() { return Pattern({.after = 0}); }
  // From `before` positions before the query to `after` positions after it.
  static Pattern window(Index before, Index after) {
    return Pattern({.before = before, .after = after});
  }
  // The keys of the block of the query: blocks have `size` positions, from position 0 on.
  static Pattern blocks(Index size);
  // Child et al. 2019, section 4.2, with both factors in one head. Strided: the keys up to `stride`
  // positions away, and keys whose distance is a multiple of `stride`. Fixed: the keys of the
  // query's block of `size`, and the last `summaries` keys of every block.
  static Pattern strided(Index stride);
  static Pattern fixed(Index size, Index summaries);
  // Xiao et al. 2023, section 3.2: the first `sinks` keys of the sequence, and a window that looks
  // back, from `before` positions before the query to the query itself.
  static Pattern sink_window(Index sinks, Index before);
  // The keys from `before` positions before the query to `after` behind it for which
  // `allowed(query, key)` is true. The function object is kept, and is called from any thread.
  template <class Rule>
    requires std::predicate<const Rule&, Index, Index>
  static Pattern by(Rule allowed, Index before = unlimited, Index after = unlimited);

  // The same pattern without the keys after the query: for a decoder's self-attention.
  Pattern looking_back() const;
  // Each query keeps the `count` allowed keys with the largest scores; of equal scores the earlier.
  Pattern top(Index count) const;

  // By positions only: `top` does not count. `prefix`: the prefix of the segment of the query.
  bool allowed(Index query, Index key, Index prefix = 0) const;
  void mark(Index query, Index first, std::span<bool> allowed, Index prefix = 0) const;

  const KeyRanges& near() const { return near_; }
  // A range that contains near keys, far keys and prefix; and whether the range has only these.
  KeyRanges bounds(Index prefix = 0) const;
  bool is_range(Index prefix = 0) const;
  Index far_stride() const { return far_stride_; }  // 0: none
  Index summaries() const { return summaries_; }    // 0: none
  Index sinks() const { return sinks_; }            // 0: none
  // The last position of a query in a cache that holds only sinks and window.
  Index last_cached_position() const { return sinks_ == 0 ? unlimited : sinks_ + near_.before; }
  bool has_rule() const { return rule_ != nullptr; }
  Index top_count() const { return top_; }  // 0: all
  bool looks_back() const { return looks_back_; }

 private:
  explicit Pattern(const KeyRanges& near) : near_(near) {}

  KeyRanges near_;
  Index far_stride_ = 0;  // distances of far keys are multiples of this
  Index summaries_ = 0;   // the last keys of each unit of `near_`
  Index sinks_ = 0;       // the first keys of the sequence
  Index top_ = 0;
  bool looks_back_ = false;
  std::shared_ptr<const KeyRule> rule_;
};

template <class Rule>
  requires std::predicate<const Rule&, Index, Index>
Pattern Pattern::by(Rule allowed, Index before, Index after) {
  Pattern pattern = window(before, after);
  pattern.rule_ =
      std::make_shared<const KeyRule>([rule = std::make_shared<const Rule>(std::move(allowed))](
                                          Index query, Index first, std::span<bool> keys) {
        for (bool& key : keys) {
          key = (*rule)(query, first++);
        }
      });
  return pattern;
}

// Every `step`-th row from `first` on.
struct RowSteps {
  Index first = 0;
  Index rows = 0;
  Index step = 1;
  Index position = 0;  // of the first row, counted in steps
};

// Some queries and keys, and a range of these keys for each query, by positions counted in steps.
struct PatternRange {
  RowSteps queries;
  RowSteps keys;
  KeyRanges ranges;
  bool of_sinks = false;
};

// The rows of a segment whose position is `place` modulo `step`.
inline RowSteps rows_with_rest(const Segment& segment, Index place, Index step) {
  const Index first = ((place - segment.position) % step + step) % step;
  return {.first = first,
          .rows = first < segment.rows ? (segment.rows - first + step - 1) / step : 0,
          .step = step,
          .position = KeyRanges::unit(segment.position + first, step)};
}

// Calls visit(range) for parts that share no pair and together form the pattern, the near keys
// first. In each part the keys of a query form one range, so keys outside cost nothing. Far parts
// of a strided pattern: queries and keys with the same remainder, at least two steps apart. Far
// parts of a fixed pattern: all queries, and the keys at one place in all other blocks. Far part of
// a window with sinks: the sinks, and the queries whose window begins behind the first key.
template <class Visitor>
void for_each_pattern_range(const Pattern& pattern, const Segment& queries, const Segment& keys,
                            const Visitor& visit) {
  const RowSteps all_queries{.rows = queries.rows, .position = queries.position};
  visit(PatternRange{.queries = all_queries,
                     .keys = {.rows = keys.rows, .position = keys.position},
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
      const Index place = queries.position + row;
      visit_far({rows_with_rest(queries, place, stride), rows_with_rest(keys, place, stride), {}},
                1, 2);
    }
  }
  const Index size = pattern.near().query_unit;
  for (Index place = size - pattern.summaries(); place < size; ++place) {
    visit_far({all_queries, rows_with_rest(keys, place, size), {}}, size, 1);
  }
  if (pattern.sinks() == 0) {
    return;
  }
  const Index sinks = std::clamp<Index>(pattern.sinks() - keys.position, 0, keys.rows);
  const Index apart = pattern.near().before + 1;
  const Index first = std::clamp<Index>(keys.position + apart - queries.position, 0, queries.rows);
  if (sinks > 0 && first < queries.rows) {
    visit(PatternRange{.queries = {.first = first,
                                   .rows = queries.rows - first,
                                   .position = queries.position + first},
                       .keys = {.rows = sinks, .position = keys.position},
                       .ranges = {.after = -apart},
                       .of_sinks = true});
  }
}

}  // namespace tapehead
