// Patterns and lengths for attention tests.
#pragma once

#include <ostream>

#include "core/sequence/distance.hpp"
#include "tests/support/attention_cases.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct NamedPattern {
  std::string name;
  Pattern pattern;
};

// Every kind of pattern, in both directions and backward only.
inline std::vector<NamedPattern> pattern_kinds() {
  const Pattern odd_ones =
      Pattern::by([](Index query, Index key) { return (query + key) % 3 != 0 || key == 0; });
  std::vector<NamedPattern> kinds{
      {"blocks of 7", Pattern::blocks(7)},
      {"blocks of one", Pattern::blocks(1)},
      {"strided by 5", Pattern::strided(5)},
      {"strided by one", Pattern::strided(1)},
      {"strided by more than there are", Pattern::strided(90)},
      {"fixed, one of 6", Pattern::fixed(6, 1)},
      {"fixed, three of 8", Pattern::fixed(8, 3)},
      {"fixed, all of 4", Pattern::fixed(4, 4)},
      {"fixed, none of 4", Pattern::fixed(4, 0)},
      {"a window with three sinks", Pattern::sink_window(3, 4)},
      {"itself with more sinks than there are", Pattern::sink_window(90, 0)},
      {"top 3", Pattern::full().top(3)},
      {"top 1 of a window", Pattern::window(9, 4).top(1)},
      {"top 4 of strided", Pattern::strided(5).top(4)},
      {"more than there are", Pattern::full().top(90)},
      {"a rule", odd_ones},
      {"a rule near by",
       Pattern::by([](Index query, Index key) { return (query ^ key) % 2 == 0; }, 6, 3)},
  };
  for (std::size_t i = 0, bidirectional = kinds.size(); i < bidirectional; ++i) {
    kinds.push_back({kinds[i].name + ", looking back", kinds[i].pattern.looking_back()});
  }
  return kinds;
}

inline AttentionCase pattern_case(const NamedPattern& named, Segments queries, Segments keys,
                                  double dropout) {
  return {.name = named.name,
          .queries = std::move(queries),
          .keys = std::move(keys),
          .options = {.heads = 2,
                      .d_key = 3,
                      .d_value = 2,
                      .patterns = {named.pattern},
                      .dropout = dropout_of(dropout)}};
}

// Segments that start at a late or negative position, empty segments, single queries.
inline std::vector<AttentionCase> pattern_cases() {
  std::vector<AttentionCase> cases;
  for (const NamedPattern& named : pattern_kinds()) {
    cases.push_back(pattern_case(named, segments_at({{0, 37, 0}, {37, 0, 3}, {37, 5, 11}}),
                                 segments_at({{0, 37, 0}, {0, 4, 0}, {20, 16, 0}}), 0));
    cases.push_back(pattern_case(named, segments_at({{0, 19, -3}, {19, 1, 8}, {20, 1, 30}}),
                                 segments_at({{0, 23, -7}, {0, 9, 0}, {3, 31, 0}}), 0.3));
  }
  return cases;
}

// Queries that also see a prefix: nothing, a part of the sequence, or all of it.
inline std::vector<AttentionCase> prefix_cases() {
  std::vector<AttentionCase> cases;
  for (const NamedPattern& named :
       {NamedPattern{"causal", Pattern::causal()}, NamedPattern{"window", Pattern::window(3, 0)},
        NamedPattern{"strided", Pattern::strided(5).looking_back()},
        NamedPattern{"top 3", Pattern::causal().top(3)}}) {
    for (const double dropout : {0.0, 0.3}) {
      cases.push_back(pattern_case(
          named, segments_at({{0, 37, 0, 21}, {37, 19, 0, 0}, {56, 5, 0, 5}, {61, 1, 18, 9}}),
          segments_at({{0, 37, 0}, {37, 19, 0}, {56, 5, 0}, {37, 19, 0}}), dropout));
      cases.back().name += " with a prefix";
    }
  }
  return cases;
}

// Longer than a tile of queries and a block of keys.
inline std::vector<AttentionCase> long_pattern_cases() {
  std::vector<AttentionCase> cases;
  for (const NamedPattern& named :
       {NamedPattern{"blocks", Pattern::blocks(150)},
        NamedPattern{"blocks, looking back", Pattern::blocks(40).looking_back()},
        NamedPattern{"strided", Pattern::strided(7)},
        NamedPattern{"strided, looking back", Pattern::strided(33).looking_back()},
        NamedPattern{"fixed", Pattern::fixed(20, 3)},
        NamedPattern{"fixed, looking back", Pattern::fixed(90, 2).looking_back()},
        NamedPattern{"a window with sinks", Pattern::sink_window(4, 60)},
        NamedPattern{"a long window with sinks", Pattern::sink_window(150, 140)},
        NamedPattern{"top", Pattern::full().top(20)},
        NamedPattern{"top, looking back", Pattern::causal().top(150)},
        NamedPattern{"a rule", Pattern::by([](Index query, Index key) {
                       return query / 50 == key / 70 || key % 40 == 0;
                     })}}) {
    AttentionCase c =
        pattern_case(named, segments_of({300, 130}), segments_at({{0, 300, 0}, {20, 391, 5}}), 0.3);
    c.options.d_key = 8;
    c.options.d_value = 8;
    cases.push_back(c);
  }
  AttentionCase prefixed = cases.front();
  prefixed.name = "causal with a prefix";
  prefixed.queries = segments_at({{0, 300, 0, 170}, {300, 391, 0, 64}});
  prefixed.keys = prefixed.queries;
  prefixed.options.patterns = {Pattern::causal()};
  cases.push_back(prefixed);
  return cases;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
