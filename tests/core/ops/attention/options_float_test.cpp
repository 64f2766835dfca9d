// Attention biases and patterns in single precision, whose tiles and vectors are twice as wide:
// values and gradients against plain ops, and no heap allocations.
#include "core/memory/pool.hpp"
#include "core/ops/attention/attention.hpp"
#include "support/heap_count.hpp"
#include "tests/support/bias_cases.hpp"
#include "tests/support/pattern_cases.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/testing.hpp"

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

TEST(AttentionOptions, biases_equal_plain_ops) {
  std::vector<BiasCase> cases = bias_cases();
  std::ranges::copy(long_bias_cases(), std::back_inserter(cases));
  for (const BiasCase& c : cases) {
    SCOPED_TRACE(c.attention.name);
    const auto by = [&c](Attend* attend) {
      return [&c, attend](const Var& all, const Var& head, const Var& query, const Var& value) {
        return attend_to_itself(attend, c.attention, all, c.bias(head, query, value));
      };
    };
    expect_equals_plain(by(attention), by(plain_attention), rows_of(c.attention), c.head_rows(),
                        c.query_rows(), c.value_rows());
  }
}

TEST(AttentionOptions, patterns_equal_plain_ops) {
  std::vector<AttentionCase> cases = pattern_cases();
  std::ranges::copy(long_pattern_cases(), std::back_inserter(cases));
  for (const AttentionCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto by = [&c](Attend* attend) {
      return [&c, attend](const Var& all) { return attend_to_itself(attend, c, all, {}); };
    };
    expect_equals_plain(by(attention), by(plain_attention), rows_of(c));
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
