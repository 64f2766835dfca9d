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

// `parts` names the parts of the bias, such as "slopes values".
inline BiasCase bias_case(AttentionCase attention, const DistanceBuckets& buckets,
                          std::string_view parts) {
  const auto has = [&](std::string_view part) { return parts.find(part) != std::string::npos; };
  return {.attention = std::move(attention),
          .buckets = buckets,
          .slopes = has("slopes"),
          .by_head = has("by_head"),
          .by_query = has("by_query"),
          .values = has("values")};
}

inline std::vector<BiasCase> bias_cases() {
  const AttentionOptions plain{.heads = 2, .d_key = 3, .d_value = 2};
  AttentionOptions causal = plain;
  causal.patterns = {Pattern::causal()};
  AttentionOptions windows = plain;
  windows.patterns = {Pattern::window(4, 0), Pattern::window(2, 7)};
  AttentionOptions dropped = plain;
  dropped.dropout = dropout_of(0.3);
  const Segments longs = segments_of({19, 37});
  const Segments crossed = segments_of({37, 19});
  const Segments late = segments_at({{0, 2, 31}, {2, 1, 3}});
  const Segments cached = segments_at({{0, 33, 0}, {33, 4, 0}});
  const Segments single = segments_at({{0, 1, 31}, {1, 1, 2}});
  const DistanceBuckets none{};
  const auto shaw = DistanceBuckets::clipped(5, 3);
  const auto far = DistanceBuckets::clipped(40, 0);
  const auto both = DistanceBuckets::logarithmic(8, 12);
  const auto back = DistanceBuckets::logarithmic_back(6, 20);
  return {
      bias_case({"slopes", longs, crossed, plain}, none, "slopes"),
      bias_case({"slopes causal", longs, longs, causal}, none, "slopes"),
      bias_case({"rows by head", longs, crossed, plain}, both, "by_head"),
      bias_case({"rows by head causal", longs, longs, causal}, back, "by_head"),
      bias_case({"rows by query", longs, crossed, plain}, shaw, "by_query"),
      bias_case({"rows by query causal", longs, longs, causal}, far, "by_query"),
      bias_case({"all in windows", longs, longs, windows}, shaw, "slopes by_head by_query"),
      bias_case({"dropout", longs, crossed, dropped}, shaw, "by_head by_query"),
      bias_case({"queries that begin late", late, cached, causal}, back, "slopes by_head by_query"),
      bias_case({"single queries", single, cached, plain}, both, "slopes by_head by_query"),
      bias_case({"empty segments", segments_of({2, 0, 3}), segments_of({0, 3, 4}), plain}, shaw,
                "by_head by_query"),
      bias_case({"values", longs, crossed, plain}, shaw, "values"),
      bias_case({"values causal", longs, longs, causal}, far, "by_query values"),
      bias_case({"values with dropout", longs, crossed, dropped}, shaw, "by_head by_query values"),
      bias_case({"values of single queries", single, cached, windows}, both, "slopes values"),
      bias_case({"one bucket", segments_of({5}), segments_of({9}), plain},
                DistanceBuckets::clipped(0, 0), "by_head by_query"),
  };
}

// Longer than a tile of queries and a block of keys.
inline std::vector<BiasCase> long_bias_cases() {
  AttentionOptions causal{.heads = 2, .d_key = 8, .d_value = 8, .patterns = {Pattern::causal()}};
  AttentionOptions full{.heads = 2, .d_key = 3, .d_value = 3, .dropout = dropout_of(0.3)};
  const Segments queries = segments_of({300, 130});
  const Segments keys = segments_of({257, 391});
  return {
      bias_case({"clipped", queries, keys, full}, DistanceBuckets::clipped(16, 16),
                "slopes by_head by_query values"),
      bias_case({"logarithmic causal", queries, queries, causal},
                DistanceBuckets::logarithmic_back(32, 128), "by_head by_query"),
      bias_case({"every distance", queries, queries, causal}, DistanceBuckets::clipped(299, 0),
                "by_head by_query values"),
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
