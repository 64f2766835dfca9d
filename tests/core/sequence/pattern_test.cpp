// Patterns against their definitions, and the key ranges that they give.
#include "core/sequence/pattern.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Compares pattern and rule for all queries and keys at positions -6 ... 20.
template <class Rule>
void expect_allows(const Pattern& pattern, const Rule& rule) {
  for (Index query = -6; query <= 20; ++query) {
    for (Index key = -6; key <= 20; ++key) {
      EXPECT_EQ(pattern.allowed(query, key), rule(query, key)) << query << " to " << key;
      EXPECT_EQ(pattern.looking_back().allowed(query, key), key <= query && rule(query, key))
          << query << " to " << key << ", looking back";
    }
  }
}

Index block_of(Index position, Index size) { return (position + 10 * size) / size - 10; }

TEST(Pattern, allows_what_its_definition_says) {
  expect_allows(Pattern::full(), [](Index, Index) { return true; });
  expect_allows(Pattern::causal(), [](Index query, Index key) { return key <= query; });
  expect_allows(Pattern::window(2, 1),
                [](Index query, Index key) { return query - 2 <= key && key <= query + 1; });
  expect_allows(Pattern::blocks(4),
                [](Index query, Index key) { return block_of(query, 4) == block_of(key, 4); });
  expect_allows(Pattern::strided(4), [](Index query, Index key) {
    return std::abs(query - key) <= 4 || (query - key) % 4 == 0;
  });
  expect_allows(Pattern::fixed(5, 2), [](Index query, Index key) {
    return block_of(query, 5) == block_of(key, 5) || key - 5 * block_of(key, 5) >= 3;
  });
  expect_allows(Pattern::sink_window(3, 4), [](Index query, Index key) {
    return key <= query && (key < 3 || query - 4 <= key);
  });
  expect_allows(Pattern::by([](Index query, Index key) { return (query * key) % 3 == 1; }, 7, 2),
                [](Index query, Index key) {
                  return (query * key) % 3 == 1 && query - 7 <= key && key <= query + 2;
                });
}

TEST(Pattern, with_a_prefix_allows_its_keys_too) {
  for (const Pattern& pattern :
       {Pattern::full(), Pattern::causal(), Pattern::window(2, 1), Pattern::blocks(4),
        Pattern::strided(4).looking_back(), Pattern::fixed(5, 2),
        Pattern::by([](Index query, Index key) { return (query * key) % 3 == 1; })}) {
    for (Index query = -6; query <= 20; ++query) {
      const PositionRange bounds = pattern.bounds(7).of(query);
      for (Index key = -6; key <= 20; ++key) {
        const bool allowed = pattern.allowed(query, key, 7);
        EXPECT_EQ(allowed, key < 7 || pattern.allowed(query, key)) << query << " to " << key;
        const bool bounded = bounds.first <= key && key <= bounds.last;
        EXPECT_TRUE(pattern.is_range(7) ? bounded == allowed : bounded || !allowed)
            << query << " to " << key;
      }
    }
  }
  EXPECT_TRUE(Pattern::causal().is_range(7));
  EXPECT_FALSE(Pattern::window(2, 0).is_range(7));
}

TEST(PatternRanges, hold_every_pair_once_and_no_other) {
  const Segment queries{.row = 0, .rows = 33, .position = -4};
  const Segment keys{.row = 0, .rows = 41, .position = -9};
  for (const Pattern& pattern :
       {Pattern::full(), Pattern::window(3, 2), Pattern::blocks(6), Pattern::strided(1),
        Pattern::strided(5), Pattern::strided(70), Pattern::fixed(6, 2), Pattern::fixed(4, 4),
        Pattern::strided(5).looking_back(), Pattern::fixed(6, 2).looking_back(),
        Pattern::sink_window(3, 4), Pattern::sink_window(90, 2), Pattern::sink_window(2, 90)}) {
    std::vector<int> held(static_cast<std::size_t>(queries.rows * keys.rows), 0);
    for_each_pattern_range(pattern, queries, keys, [&](const PatternRange& range) {
      for (Index i = 0; i < range.queries.rows; ++i) {
        const PositionRange seen = range.ranges.of(range.queries.position + i);
        for (Index j = 0; j < range.keys.rows; ++j) {
          if (seen.first <= range.keys.position + j && range.keys.position + j <= seen.last) {
            const Index query = range.queries.first + i * range.queries.step;
            const Index key = range.keys.first + j * range.keys.step;
            ++held[static_cast<std::size_t>(query * keys.rows + key)];
          }
        }
      }
    });
    for (Index query = 0; query < queries.rows; ++query) {
      for (Index key = 0; key < keys.rows; ++key) {
        EXPECT_EQ(held[static_cast<std::size_t>(query * keys.rows + key)],
                  pattern.allowed(queries.position + query, keys.position + key) ? 1 : 0)
            << query << " to " << key;
      }
    }
  }
}

TEST(PatternErrors, say_what_fits) {
  const auto says = [](const char* what) { return ThrowsMessage<ConfigError>(HasSubstr(what)); };
  EXPECT_THAT([] { Pattern::blocks(0); }, says("a block size of 0"));
  EXPECT_THAT([] { Pattern::strided(-1); }, says("a stride of -1"));
  EXPECT_THAT([] { Pattern::fixed(4, 5); }, says("5 summary keys of a block of 4"));
  EXPECT_THAT([] { Pattern::sink_window(0, 4); }, says("a number of first keys of 0"));
  EXPECT_THAT([] { Pattern::full().top(0); }, says("a number of largest scores of 0"));
}

}}  // namespace tapehead
