// Test cases for attention with a bias.
#pragma once

#include <ostream>

#include "core/ops/attention/bias.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct BiasCase {
  AttentionCase attention;
  DistanceBuckets buckets{};
  bool slopes = false;
  bool by_head = false;
  bool by_query = false;
  bool values = false;

  // The bias of this case; Vars that the case does not use are ignored.
  AttentionBias bias(const Var& head_rows, const Var& query_rows, const Var& value_rows) const {
    AttentionBias result{.buckets = buckets};
    if (slopes) {
      result.slopes = alibi_slopes(attention.options.heads);
    }
    if (by_head) {
      result.by_head = head_rows;
    }
    if (by_query) {
      result.by_query = query_rows;
    }
    if (values) {
      result.values = value_rows;
    }
    return result;
  }
  Tensor head_rows() const { return random_tensor({attention.options.heads, buckets.count()}, 11); }
  Tensor query_rows() const {
    return random_tensor({row_count(attention.queries), attention.options.heads * buckets.count()},
                         12);
  }
  Tensor value_rows() const {
    return random_tensor({buckets.count(), attention.options.d_value}, 13);
  }

  friend std::ostream& operator<<(std::ostream& out, const BiasCase& c) {
    return out << c.attention.name;
  }
};

inline std::vector<BiasCase> bias_cases() {
  const AttentionOptions plain{.heads = 2, .d_key = 3, .d_value = 2};
  AttentionOptions causal = plain;
  causal.patterns = {Pattern::causal()};
  AttentionOptions windows = plain;
  windows.patterns = {Pattern::window(4, 0), Pattern::window(2, 7)};
  AttentionOptions dropped = plain;
  dropped.dropout = dropout_of(0.3);
  const Segments long_ones = segments_of({19, 37});
  const Segments crossed = segments_of({37, 19});
  const Segments late = segments_at({{0, 2, 31}, {2, 1, 3}});
  const Segments cached = segments_at({{0, 33, 0}, {33, 4, 0}});
  const auto shaw = DistanceBuckets::clipped(5, 3);
  const auto both = DistanceBuckets::logarithmic(8, 12);
  const auto back = DistanceBuckets::logarithmic_back(6, 20);
  return {
      {.attention = {"slopes", long_ones, crossed, plain}, .slopes = true},
      {.attention = {"slopes causal", long_ones, long_ones, causal}, .slopes = true},
      {.attention = {"rows by head", long_ones, crossed, plain}, .buckets = both, .by_head = true},
      {.attention = {"rows by head causal", long_ones, long_ones, causal},
       .buckets = back,
       .by_head = true},
      {.attention = {"rows by query", long_ones, crossed, plain},
       .buckets = shaw,
       .by_query = true},
      {.attention = {"rows by query causal", long_ones, long_ones, causal},
       .buckets = DistanceBuckets::clipped(40, 0),
       .by_query = true},
      {.attention = {"all in windows", long_ones, long_ones, windows},
       .buckets = shaw,
       .slopes = true,
       .by_head = true,
       .by_query = true},
      {.attention = {"dropout", long_ones, crossed, dropped},
       .buckets = shaw,
       .by_head = true,
       .by_query = true},
      {.attention = {"queries that begin late", late, cached, causal},
       .buckets = back,
       .slopes = true,
       .by_head = true,
       .by_query = true},
      {.attention = {"single queries", segments_at({{0, 1, 31}, {1, 1, 2}}), cached, plain},
       .buckets = both,
       .slopes = true,
       .by_head = true,
       .by_query = true},
      {.attention = {"empty segments", segments_of({2, 0, 3}), segments_of({0, 3, 4}), plain},
       .buckets = shaw,
       .by_head = true,
       .by_query = true},
      {.attention = {"values", long_ones, crossed, plain}, .buckets = shaw, .values = true},
      {.attention = {"values causal", long_ones, long_ones, causal},
       .buckets = DistanceBuckets::clipped(40, 0),
       .by_query = true,
       .values = true},
      {.attention = {"values with dropout", long_ones, crossed, dropped},
       .buckets = shaw,
       .by_head = true,
       .by_query = true,
       .values = true},
      {.attention = {"values of single queries", segments_at({{0, 1, 31}, {1, 1, 2}}), cached,
                     windows},
       .buckets = both,
       .slopes = true,
       .values = true},
      {.attention = {"one bucket", segments_of({5}), segments_of({9}), plain},
       .buckets = DistanceBuckets::clipped(0, 0),
       .by_head = true,
       .by_query = true},
  };
}

// Longer than a tile of queries and a block of keys.
inline std::vector<BiasCase> long_bias_cases() {
  AttentionOptions causal{.heads = 2, .d_key = 8, .d_value = 8, .patterns = {Pattern::causal()}};
  AttentionOptions full{.heads = 2, .d_key = 3, .d_value = 3, .dropout = dropout_of(0.3)};
  const Segments queries = segments_of({300, 130});
  const Segments keys = segments_of({257, 391});
  return {
      {.attention = {"clipped", queries, keys, full},
       .buckets = DistanceBuckets::clipped(16, 16),
       .slopes = true,
       .by_head = true,
       .by_query = true,
       .values = true},
      {.attention = {"logarithmic causal", queries, queries, causal},
       .buckets = DistanceBuckets::logarithmic_back(32, 128),
       .by_head = true,
       .by_query = true},
      {.attention = {"every distance", queries, queries, causal},
       .buckets = DistanceBuckets::clipped(299, 0),
       .by_head = true,
       .by_query = true,
       .values = true},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
