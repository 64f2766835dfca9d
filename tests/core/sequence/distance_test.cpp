// Distance buckets and slopes against the formulas of the papers.
#include "core/sequence/distance.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { namespace {

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
      for (std::size_t i = 0; i < filled.size(); ++i) {
        EXPECT_EQ(filled[i], buckets.at(first + static_cast<Index>(i)));
      }
    }
  }
}

TEST(DistanceBuckets, errors_say_what_fits) {
  EXPECT_THAT([] { DistanceBuckets::clipped(-1, 2); },
              ThrowsMessage<ConfigError>(HasSubstr("-1 before and 2 after")));
  EXPECT_THAT([] { DistanceBuckets::logarithmic(2, 20); },
              ThrowsMessage<ConfigError>(HasSubstr("1 for one side")));
  EXPECT_THAT([] { DistanceBuckets::logarithmic_back(8, 4); },
              ThrowsMessage<ConfigError>(HasSubstr("up to distance 4")));
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
