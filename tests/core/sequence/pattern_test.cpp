// Patterns against their definitions, and the key ranges that they give. Distance buckets and
// slopes against the formulas of the papers.
#include "core/sequence/pattern.hpp"

#include "core/sequence/distance.hpp"
#include "tests/support/message_of.hpp"

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
    std::map<std::pair<Index, Index>, int> held;  // by row of query and key
    for_each_pattern_range(pattern, queries, keys, [&](const PatternRange& range) {
      for (Index i = 0; i < range.queries.rows; ++i) {
        const PositionRange seen = range.ranges.of(range.queries.position + i);
        for (Index j = 0; j < range.keys.rows; ++j) {
          if (seen.first <= range.keys.position + j && range.keys.position + j <= seen.last) {
            ++held[{range.queries.first + i * range.queries.step,
                    range.keys.first + j * range.keys.step}];
          }
        }
      }
    });
    std::map<std::pair<Index, Index>, int> allowed;
    for (Index query = 0; query < queries.rows; ++query) {
      for (Index key = 0; key < keys.rows; ++key) {
        if (pattern.allowed(queries.position + query, keys.position + key)) {
          allowed[{query, key}] = 1;
        }
      }
    }
    EXPECT_THAT(held, ContainerEq(allowed));
  }
}

TEST(PatternErrors, say_what_fits) {
  EXPECT_THAT([] { Pattern::blocks(0); }, throws<ConfigError>("a block size of 0"));
  EXPECT_THAT([] { Pattern::strided(-1); }, throws<ConfigError>("a stride of -1"));
  EXPECT_THAT([] { Pattern::fixed(4, 5); }, throws<ConfigError>("5 summary keys of a block of 4"));
  EXPECT_THAT([] { Pattern::sink_window(0, 4); },
              throws<ConfigError>("a number of first keys of 0"));
  EXPECT_THAT([] { Pattern::full().top(0); },
              throws<ConfigError>("a number of largest scores of 0"));
}

// The code of Raffel et al. 2020 for a distance n >= 0 to one side, with `count` buckets.
Index bucket_of_side(Index n, Index count, Index farthest) {
  const Index exact = count / 2;
  if (n < exact) {
    return n;
  }
  const double share = std::log(static_cast<double>(n) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(farthest) / static_cast<double>(exact));
  const auto steps = static_cast<double>(count - exact);
  return std::min(exact + static_cast<Index>(std::floor(share * steps + 1e-9)), count - 1);
}

TEST(DistanceBuckets, clipped_ones_hold_one_distance_each) {
  const auto buckets = DistanceBuckets::clipped(2, 1);
  EXPECT_EQ(buckets.count(), 4);
  std::array<std::int32_t, 8> filled{};
  buckets.fill(-4, filled);
  EXPECT_THAT(filled, ElementsAre(0, 0, 0, 1, 2, 3, 3, 3));
  EXPECT_EQ(DistanceBuckets::clipped(0, 0).at(5), 0);
  EXPECT_EQ(DistanceBuckets().count(), 0);
}

TEST(DistanceBuckets, logarithmic_ones_are_those_of_the_paper) {
  for (const auto& [count, farthest] :
       {std::pair<Index, Index>{32, 128}, {8, 20}, {32, 20}, {7, 100}, {4, 3}}) {
    const auto back = DistanceBuckets::logarithmic_back(count, farthest);
    const auto both = DistanceBuckets::logarithmic(2 * count, farthest);
    ASSERT_EQ(back.count(), count);
    ASSERT_EQ(both.count(), 2 * count - 1);
    for (Index n = 0; n < 2 * farthest; ++n) {
      const Index bucket = bucket_of_side(n, count, farthest);
      EXPECT_EQ(back.at(-n), count - 1 - bucket) << n;
      EXPECT_EQ(back.at(n), count - 1) << n;
      EXPECT_EQ(both.at(-n), count - 1 - bucket) << n;
      EXPECT_EQ(both.at(n), count - 1 + bucket) << n;
    }
  }
}

TEST(DistanceBuckets, are_filled_in_as_they_are_looked_up) {
  for (const auto& buckets :
       {DistanceBuckets::clipped(3, 5), DistanceBuckets::clipped(0, 0),
        DistanceBuckets::logarithmic_back(32, 20), DistanceBuckets::logarithmic(32, 128)}) {
    for (const Index first : {-300, -17, 0, 3, 200}) {
      std::vector<std::int32_t> filled(150);
      buckets.fill(first, filled);
      for (Index i = 0; i < 150; ++i) {
        EXPECT_EQ(filled.at(static_cast<std::size_t>(i)), buckets.at(first + i));
      }
    }
  }
}

TEST(DistanceBuckets, errors_say_what_fits) {
  EXPECT_THAT([] { DistanceBuckets::clipped(-1, 2); },
              throws<ConfigError>("-1 before and 2 after"));
  EXPECT_THAT([] { DistanceBuckets::logarithmic(2, 20); }, throws<ConfigError>("1 for one side"));
  EXPECT_THAT([] { DistanceBuckets::logarithmic_back(8, 4); },
              throws<ConfigError>("up to distance 4"));
}

// Press et al. 2022: 1/2 ... 1/2^8 for 8 heads; for 12 heads also 1/2^0.5, 1/2^1.5, ...
TEST(AlibiSlopes, are_those_of_the_paper) {
  EXPECT_THAT(alibi_slopes(1), ElementsAre(1.0 / 256));
  EXPECT_THAT(alibi_slopes(2), ElementsAre(1.0 / 16, 1.0 / 256));
  const std::vector<double> twelve{0.5,         0.25,        0.125,       0.0625,
                                   0.03125,     0.015625,    0.0078125,   0.00390625,
                                   0.707106781, 0.353553391, 0.176776695, 0.088388348};
  EXPECT_THAT(alibi_slopes(12), Pointwise(DoubleNear(1e-9), twelve));
}

}}  // namespace tapehead
