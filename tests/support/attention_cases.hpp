// Test cases for attention: lengths, key layouts, patterns, widths, dropout.
#pragma once

#include <cctype>
#include <ostream>

#include "core/ops/attention/attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AttentionCase {
  std::string name;
  Segments queries;
  Segments keys;
  AttentionOptions options;

  friend std::ostream& operator<<(std::ostream& out, const AttentionCase& c) {
    return out << c.name;
  }
};

// A name that GoogleTest takes.
inline std::string test_name_of(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

inline Segments segments_at(PoolVector<Segment> list, Index first_row = 0) {
  return {.list = std::move(list), .first_row = first_row};
}

// The example in docs/add-a-score.md.
struct Nearness {
  double sharpness;

  double operator()(std::span<const double> query, std::span<const double> key) const {
    double score = 0;
    for (std::size_t c = 0; c < query.size(); ++c) {
      score -= sharpness * (query[c] - key[c]) * (query[c] - key[c]);
    }
    return score;
  }
  void backward(double dscore, std::span<const double> query, std::span<const double> key,
                std::span<double> dquery, std::span<double> dkey) const {
    for (std::size_t c = 0; c < query.size(); ++c) {
      const double d = -2 * sharpness * dscore * (query[c] - key[c]);
      dquery[c] += d;
      dkey[c] -= d;
    }
  }
};

inline Dropout dropout_of(double probability) {
  return {.probability = probability, .draws = Draws(3, "tests.attention", 5)};
}

// In double precision a kernel panel has at most 16 queries and a vector has 8 numbers. With 19, 29
// and 37 rows and widths of 1 to 11, no loop divides evenly.
inline std::vector<AttentionCase> attention_cases() {
  const AttentionOptions plain{.heads = 2, .d_key = 3, .d_value = 2};
  const auto with = [&plain](PoolVector<Pattern> patterns, double dropout = 0) {
    AttentionOptions options = plain;
    options.heads = patterns.size() == 1 ? plain.heads : static_cast<Index>(patterns.size());
    options.patterns = std::move(patterns);
    options.dropout = dropout_of(dropout);
    return options;
  };
  const auto sized = [](Index d_key, Index d_value, double dropout = 0) {
    return AttentionOptions{
        .heads = 2, .d_key = d_key, .d_value = d_value, .dropout = dropout_of(dropout)};
  };
  const Pattern causal = Pattern::causal();
  const Segments long_ones = segments_of({19, 37});
  const PoolVector<Pattern> three{Pattern::full(), causal, Pattern::window(1, 2)};
  return {
      {"one row", segments_of({1}), segments_of({1}), plain},
      {"unequal lengths", segments_of({3, 1, 5}), segments_of({2, 4, 1}), plain},
      {"an empty query segment", segments_of({2, 0, 3}), segments_of({3, 2, 1}), plain},
      {"an empty key segment", segments_of({2, 3}), segments_of({0, 4}), plain},
      {"more than a tile", long_ones, segments_of({37, 19}), plain},
      {"causal", segments_of({19, 1, 5}), segments_of({19, 1, 5}), with({causal})},
      {"causal, more than two tiles", long_ones, long_ones, with({causal})},
      {"window", long_ones, long_ones, with({Pattern::window(2, 1)})},
      {"a pattern for each head", segments_of({19, 4}), segments_of({19, 4}), with(three)},
      {"wide heads", segments_of({3, 4}), segments_of({4, 2}), sized(5, 11)},
      {"whole vectors", segments_of({16, 8}), segments_of({8, 16}), sized(16, 8)},
      {"whole vectors with rests of rows", segments_of({29, 3}), segments_of({5, 37}),
       sized(16, 8, 0.3)},
      {"a window over whole vectors",
       segments_of({29, 3}),
       segments_of({29, 3}),
       {.heads = 2, .d_key = 16, .d_value = 8, .patterns = {Pattern::window(3, 1)}}},
      {"width one", segments_of({3}), segments_of({4}), {.heads = 3}},
      {"one key head",
       segments_of({19, 1}),
       segments_of({19, 1}),
       {.heads = 3, .d_key = 3, .d_value = 2, .patterns = {causal}, .kv_heads = 1}},
      {"grouped heads, another scale",
       segments_of({3, 4, 1}),
       segments_of({5, 2, 3}),
       {.heads = 6, .d_key = 4, .d_value = 2, .kv_heads = 2, .scale = 0.7}},
      {"gaps between key segments", segments_of({2, 3}), segments_at({{2, 3, 0}, {7, 2, 0}}),
       plain},
      {"beams over one source", segments_of({2, 2, 1}),
       segments_at({{0, 4, 0}, {0, 4, 0}, {4, 3, 0}}), plain},
      {"overlapping key segments", segments_of({2, 3}), segments_at({{0, 4, 0}, {2, 4, 0}}),
       with({causal})},
      {"keys before the first position", segments_of({3}), segments_at({{0, 7, -4}}),
       with({causal})},
      {"a window before the first position", segments_of({19}), segments_at({{0, 23, -4}}),
       with({Pattern::window(3, 0)}, 0.3)},
      {"queries that begin late", segments_at({{0, 2, 5}, {2, 1, 3}}), segments_of({7, 4}),
       with({causal})},
      {"queries that see nothing", segments_of({4, 19}), segments_at({{0, 3, 2}, {3, 5, 17}}),
       with({causal})},
      {"segments that see nothing", segments_of({2, 2}), segments_at({{0, 3, 9}, {3, 3, -9}}),
       with({Pattern::window(1, 1)})},
      {"single queries", segments_of({1, 1, 1}), segments_of({37, 1, 8}), sized(13, 23)},
      {"single queries in windows", segments_at({{0, 1, 5}, {1, 1, 0}, {2, 1, 9}}),
       segments_at({{0, 11, 0}, {0, 5, 0}, {4, 8, 3}}), with({Pattern::window(2, 3)})},
      {"single queries of which one sees nothing", segments_at({{0, 1, 1}, {1, 1, 2}, {2, 1, 0}}),
       segments_at({{0, 3, 2}, {3, 4, 0}, {7, 0, 0}}), with({causal})},
      {"single queries with a pattern for each head", segments_at({{0, 1, 3}, {1, 1, 2}}),
       segments_of({6, 4}), with(three)},
      {"dropout", segments_at({{0, 3, 0}, {3, 19, 0}}, 11), segments_of({5, 10}),
       with({Pattern::full()}, 0.4)},
      {"causal with dropout", segments_of({19, 5}), segments_of({19, 5}), with({causal}, 0.2)},
  };
}

// Lengths over 64 queries (a tile) and 128 keys (a block): too long for finite differences.
inline std::vector<AttentionCase> long_attention_cases() {
  const auto with = [](Pattern pattern, double dropout, Index width) {
    return AttentionOptions{.heads = 2,
                            .d_key = width,
                            .d_value = width,
                            .patterns = {pattern},
                            .dropout = dropout_of(dropout)};
  };
  const Segments queries = segments_of({300, 130});
  const Segments keys = segments_of({257, 391});
  return {
      {"full", queries, keys, with(Pattern::full(), 0, 8)},
      {"full with dropout", queries, keys, with(Pattern::full(), 0.3, 3)},
      {"causal", queries, queries, with(Pattern::causal(), 0.3, 8)},
      {"a window", queries, queries, with(Pattern::window(40, 3), 0.3, 8)},
      {"a window that looks ahead", queries, queries, with(Pattern::window(-5, 150), 0, 3)},
      {"keys that end before the queries", segments_of({300}), segments_at({{0, 129, 0}}),
       with(Pattern::window(20, 20), 0, 8)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
