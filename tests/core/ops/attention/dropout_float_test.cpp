// Dropout of attention weights: each pair's draw follows from its address, as written out here.
#include "core/ops/attention/tile_weights.hpp"

#include "tests/support/plain_draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

bool keeps(const Dropout& dropout, Index head, Index query, Index position) {
  const auto draws =
      plain_draws({static_cast<std::uint32_t>(position / 8), static_cast<std::uint32_t>(query),
                   dropout.draws.step, static_cast<std::uint32_t>(head + 1)},
                  dropout.draws.key);
  return draws[static_cast<std::size_t>(position % 8)] >= dropout.threshold();
}

// Position steps between queries, and between keys.
class Steps : public TestWithParam<std::tuple<Index, Index>> {};
INSTANTIATE_TEST_SUITE_P(AttentionDropout, Steps,
                         Values(std::tuple{1, 1}, std::tuple{3, 5}, std::tuple{40, 19}));

TEST_P(Steps, give_each_pair_the_draw_of_its_address) {
  const auto [query_step, key_step] = GetParam();
  const Dropout dropout{.probability = 0.4, .draws = Draws(7, "tests.attention_dropout", 12345, 0)};
  constexpr Index keys = 21;
  const DropoutAddress first{
      .head = 2, .query_row = 100, .position = 13, .query_step = query_step, .key_step = key_step};
  AttentionDropout drawn(dropout);
  drawn.draw(first, panel_queries, keys);
  for (Index key = 0; key < keys; ++key) {
    for (Index vector = 0; vector < panel_queries; vector += lane_count) {
      std::array<Scalar, Lanes::size> factors;
      drawn.factors(key, vector).store_unaligned(factors.data());
      for (Index lane = 0; lane < lane_count; ++lane) {
        const Index query = 100 + (vector + lane) * query_step;
        const bool kept = keeps(dropout, 2, query, 13 + key * key_step);
        EXPECT_EQ(factors[static_cast<std::size_t>(lane)],
                  kept ? static_cast<Scalar>(dropout.scale()) : Scalar{0})
            << "query " << vector + lane << ", key " << key;
      }
    }
  }
}

}}  // namespace tapehead
