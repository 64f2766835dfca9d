// Attention with sparse patterns: gradients by differences, values and gradients against plain ops
// with a mask.
#include <tapehead/gtest.hpp>

#include "core/ops/attention/attention.hpp"
#include "tests/support/pattern_cases.hpp"
#include "tests/support/plain_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Attend = decltype(attention);

auto attend_by(Attend* attend, const AttentionCase& c) {
  return [attend, &c](const Var& q, const Var& kv) {
    return attend({q}, {kv}, {kv, c.options.heads * c.options.d_key}, c.queries, c.keys, c.options,
                  {}, {}, {});
  };
}

Tensor queries_of(const AttentionCase& c) {
  return random_tensor({row_count(c.queries), c.options.heads * c.options.d_key}, 1);
}

// Seed 22 gives no scores so close that a gradient check could change their order.
Tensor keys_and_values_of(const AttentionCase& c) {
  const AttentionOptions& o = c.options;
  return random_tensor({row_count(c.keys), o.heads * (o.d_key + o.d_value)}, 22);
}

class SparseAttention : public TestWithParam<AttentionCase> {};

const auto name_of_case = [](const auto& test) {
  const bool dropped = test.param.options.dropout.active();
  return test_name_of(test.param.name + (dropped ? " dropped" : ""));
};
INSTANTIATE_TEST_SUITE_P(Cases, SparseAttention, ValuesIn(pattern_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Prefixes, SparseAttention, ValuesIn(prefix_cases()), name_of_case);

void expect_plain(const AttentionCase& c) {
  SCOPED_TRACE(c.name);
  expect_equals_plain(attend_by(attention, c), attend_by(plain_attention, c), queries_of(c),
                      keys_and_values_of(c));
}

TEST_P(SparseAttention, has_its_gradients_and_equals_plain_ops) {
  const AttentionCase& c = GetParam();
  EXPECT_GRADCHECK(attend_by(attention, c), queries_of(c), keys_and_values_of(c));
  expect_plain(c);
}

TEST(LongSparseAttention, equals_plain_ops) {
  std::ranges::for_each(long_pattern_cases(), expect_plain);
}

// With unit vectors as values, the output of a head equals its weights.
TEST_P(SparseAttention, gives_out_its_weights) {
  const AttentionCase& c = GetParam();
  Tape tape(false);
  const Var q = tape.constant(queries_of(c));
  const Var kv = tape.constant(keys_and_values_of(c));
  for (Index segment = 0; segment < c.queries.count(); ++segment) {
    const Segment& key = c.keys[segment];
    AttentionOptions o = c.options;
    o.d_value = key.rows;
    o.dropout = {};
    Tensor units = Tensor::zeros({row_count(c.keys), o.heads * key.rows});
    for (Index j = 0; j < key.rows; ++j) {
      units.row(key.row + j)[key.rows + j] = 1;
    }
    const Tensor y = attention({q}, {kv}, {tape.constant(units)}, c.queries, c.keys, o).value();
    const Tensor weights =
        head_attention({{q}, {kv}, {kv}, c.queries, c.keys, o}, segment, 1).weights;
    for (Index i = 0; i < weights.dim(0); ++i) {
      EXPECT_THAT(row_values(weights, i),
                  Pointwise(DoubleNear(1e-14), row_values(y, c.queries[segment].row + i)
                                                   .subspan(static_cast<std::size_t>(key.rows))));
    }
  }
}

// A different kind of pattern for each head; also with a bias.
TEST(SparseHeads, equal_plain_ops) {
  AttentionCase c =
      pattern_case({"", Pattern::full()}, segments_of({41, 3}), segments_of({41, 3}), 0.2);
  c.options.heads = 5;
  c.options.patterns = {Pattern::strided(4), Pattern::fixed(6, 2).looking_back(),
                        Pattern::full().top(4), Pattern::blocks(5),
                        Pattern::by([](Index query, Index key) { return query != key; })};
  expect_plain(c);
  const auto biased = [&c](Attend* attend, const Var& q, const Var& kv, const Var& rows) {
    return attend(
        {q}, {kv}, {kv, c.options.heads * c.options.d_key}, c.queries, c.keys, c.options,
        {.buckets = DistanceBuckets::clipped(7, 3), .slopes = alibi_slopes(5), .by_head = rows}, {},
        {});
  };
  expect_equals_plain_attention(biased, queries_of(c), keys_and_values_of(c),
                                random_tensor({5, 11}, 9));
}

// Sink keys have their own queries.
TEST(SinkQueries, equal_plain_ops_and_have_gradients) {
  const Segments segments = segments_of({41, 3, 0, 9});
  AttentionCase c = pattern_case({"", Pattern::sink_window(3, 4)}, segments, segments, 0.2);
  c.options.patterns.push_back(Pattern::causal());
  const Index width = c.options.heads * c.options.d_key;
  const auto call = [&](Attend* attend, const Var& q, const Var& sink_q, const Var& kv) {
    return attend({q}, {kv}, {kv, width}, c.queries, c.keys, c.options, {}, {},
                  HeadColumns{sink_q});
  };
  const Tensor sinks = random_tensor({row_count(c.queries), width}, 5);
  EXPECT_GRADCHECK(std::bind_front(call, attention), queries_of(c), sinks, keys_and_values_of(c));
  expect_equals_plain_attention(call, queries_of(c), sinks, keys_and_values_of(c));
}

// The example in docs/add-a-pattern.md.
struct PowersOfTwo {
  bool operator()(Index query, Index key) const {
    const auto distance = static_cast<std::size_t>(std::abs(query - key));
    return distance == 0 || std::has_single_bit(distance);
  }
};

TEST(OwnPattern, equals_a_dense_mask) {
  const AttentionCase c{
      .name = "powers of two",
      .queries = segments_of({150, 7}),
      .keys = segments_of({150, 7}),
      .options = {.heads = 2, .d_key = 3, .d_value = 2, .patterns = {Pattern::by(PowersOfTwo{})}}};
  expect_plain(c);
}

// Decodes one token at a time. Equals the whole sequence up to rounding, and is bit-identical
// whatever is decoded in the same batch.
TEST(SparseDecoding, equals_the_whole_sequence) {
  const Index n = 29;
  Tape tape(false);
  const Var all = tape.constant(random_tensor({n, 2 * (2 * 3 + 2)}, 5));
  for (const NamedPattern& named : pattern_kinds()) {
    SCOPED_TRACE(named.name);
    const AttentionOptions o{
        .heads = 2, .d_key = 3, .d_value = 2, .patterns = {named.pattern.looking_back()}};
    const auto attend = [&](const Var& query, const Segments& queries, const Segments& keys) {
      return attention({query}, {all, 6}, {all, 12}, queries, keys, o).value();
    };
    const Tensor whole = attend(all, segments_of({n}), segments_of({n}));
    for (Index i = 0; i < n; ++i) {
      const Var one = slice(all, 0, i, i + 1);
      const Tensor alone = attend(one, segments_at({{0, 1, i}}), segments_at({{0, i + 1, 0}}));
      EXPECT_THAT(alone.values(), Pointwise(DoubleNear(1e-14), row_values(whole, i)));
      const Tensor beside =
          attend(concatenate({slice(all, 0, 3, 4), one}, 0), segments_at({{0, 1, 3}, {1, 1, i}}),
                 segments_at({{0, 4, 0}, {0, i + 1, 0}}));
      EXPECT_THAT(row_values(beside, 1), ElementsAreArray(alone.values()));
    }
  }
}

// All scores are equal: the earlier keys are kept, with equal weights.
TEST(TopScores, keep_the_earlier_of_equal_ones) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::full({200, 2}, 1));
  const Segments all = segments_of({200});
  const AttentionOptions options{
      .d_key = 2, .d_value = 2, .patterns = {Pattern::window(5, 190).top(4)}};
  const Tensor weights = head_attention({{x}, {x}, {x}, all, all, options}, 0, 0).weights;
  const auto are = [](const std::vector<double>& expected) {
    return Pointwise(DoubleNear(1e-14), expected);
  };
  EXPECT_THAT(row_values(weights, 0).first(5), are({0.25, 0.25, 0.25, 0.25, 0}));
  EXPECT_THAT(row_values(weights, 150).subspan(144, 7), are({0, 0.25, 0.25, 0.25, 0.25, 0, 0}));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
