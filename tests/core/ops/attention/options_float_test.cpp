// Attention in single precision, whose tiles and vectors are twice as wide: values and gradients
// against plain ops, and no heap allocations. The double tests check gradients by differences.
#include "core/memory/pool.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/tile_weights.hpp"
#include "support/heap_count.hpp"
#include "tests/support/bias_cases.hpp"
#include "tests/support/pattern_cases.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/plain_draws.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Attend = decltype(attention);

Tensor rows_of(const AttentionCase& c) {
  const AttentionOptions& o = c.options;
  const Index N = std::max(row_count(c.queries), row_count(c.keys));
  return random_tensor({N, o.heads * (2 * o.d_key + o.d_value)}, 5);
}

Var attend_to_itself(Attend* attend, const AttentionCase& c, const Var& all,
                     const AttentionBias& bias) {
  const Index width = c.options.heads * c.options.d_key;
  return attend({slice(all, 0, 0, row_count(c.queries))}, {all, width}, {all, 2 * width}, c.queries,
                c.keys, c.options, bias, {}, {});
}

TEST(AttentionOptions, equal_plain_ops) {
  for (const AttentionCase& c : attention_cases()) {
    SCOPED_TRACE(c.name);
    const AttentionOptions& o = c.options;
    expect_equals_plain_attention(
        [&](Attend* attend, const Var& q, const Var& k, const Var& v) {
          return attend({q}, {k}, {v}, c.queries, c.keys, o, {}, {}, {});
        },
        random_tensor({row_count(c.queries), o.heads * o.d_key}, 1),
        random_tensor({row_count(c.keys), o.heads * o.d_key}, 2),
        random_tensor({row_count(c.keys), o.heads * o.d_value}, 3));
  }
}

TEST(AttentionOptions, biases_equal_plain_ops) {
  std::vector<BiasCase> cases = bias_cases();
  std::ranges::copy(long_bias_cases(), std::back_inserter(cases));
  for (const BiasCase& c : cases) {
    SCOPED_TRACE(c.attention.name);
    expect_equals_plain_attention(
        [&](Attend* attend, const Var& all, const Var& head, const Var& query, const Var& value) {
          return attend_to_itself(attend, c.attention, all, c.bias(head, query, value));
        },
        rows_of(c.attention), c.head_rows(), c.query_rows(), c.value_rows());
  }
}

TEST(AttentionOptions, patterns_equal_plain_ops) {
  std::vector<AttentionCase> cases = pattern_cases();
  std::ranges::copy(long_pattern_cases(), std::back_inserter(cases));
  for (const AttentionCase& c : cases) {
    SCOPED_TRACE(c.name);
    expect_equals_plain_attention(
        [&](Attend* attend, const Var& all) { return attend_to_itself(attend, c, all, {}); },
        rows_of(c));
  }
}

TEST(AttentionOptions, take_nothing_from_the_heap) {
  if (!HeapCount::available) {
    GTEST_SKIP() << "a sanitizer has its own allocator";
  }
  AttentionCase c =
      pattern_case({"", Pattern::full()}, segments_of({90, 3}), segments_of({90, 3}), 0.1);
  const std::vector<NamedPattern> kinds = pattern_kinds();
  const BiasCase biased{.attention = c,
                        .buckets = DistanceBuckets::clipped(9, 9),
                        .slopes = true,
                        .by_head = true,
                        .by_query = true,
                        .values = true};
  Tape tape;
  const auto step = [&] {
    for (const NamedPattern& named : kinds) {
      c.options.patterns[0] = named.pattern;
      for (const bool bias : {false, true}) {
        tape.clear();
        const Var all = tape.variable(rows_of(c));
        const Var y = attend_to_itself(attention, c, all,
                                       bias ? biased.bias(tape.variable(biased.head_rows()),
                                                          tape.variable(biased.query_rows()),
                                                          tape.variable(biased.value_rows()))
                                            : AttentionBias{});
        tape.backward(y, random_tensor(y.shape(), 6));
      }
    }
  };
  const Checks before = std::exchange(checks(), {});  // with checks on, a tape keeps all values
  step();
  step();
  const HeapCount count;
  step();
  EXPECT_EQ(count.calls(), 0);
  checks() = before;
}

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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
