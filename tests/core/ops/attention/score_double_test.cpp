// Attention with scores other than products: gradients by differences, values and gradients against
// plain ops.
#include <tapehead/gtest.hpp>

#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/plain_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Scores = PoolVector<std::shared_ptr<const PairScore>>;
using Attend = decltype(attention);

const auto additive = std::make_shared<const AdditiveScore>();

auto attend_by(Attend* attend, const AttentionCase& c) {
  return [attend, &c](const Var& q, const Var& kv, const Var& weights) {
    const Index width = c.options.key_heads() * c.options.d_key;
    return attend({q}, {kv}, {kv, width}, c.queries, c.keys, c.options, {}, weights, {});
  };
}

Tensor queries_of(const AttentionCase& c) {
  return random_tensor({row_count(c.queries), c.options.heads * c.options.d_key}, 1);
}
Tensor keys_and_values_of(const AttentionCase& c) {
  const AttentionOptions& o = c.options;
  return random_tensor({row_count(c.keys), o.key_heads() * (o.d_key + o.d_value)}, 22);
}
Tensor vectors_of(const AttentionCase& c) {
  const Index numbers = c.options.score_weights_before(c.options.heads);
  return random_tensor({numbers / c.options.d_key, c.options.d_key}, 7);
}

AttentionCase scored(std::string name, const Segments& queries, const Segments& keys,
                     AttentionOptions options, Scores scores = {additive}) {
  options.scores = std::move(scores);
  return {std::move(name), queries, keys, std::move(options)};
}

// Lengths that divide neither into panels (at most 16 queries) nor into vectors (8 numbers).
std::vector<AttentionCase> scored_cases() {
  const AttentionOptions plain{.heads = 2, .d_key = 3, .d_value = 2};
  const auto with = [&plain](const Pattern& pattern, double dropout = 0) {
    AttentionOptions options = plain;
    options.patterns = {pattern};
    options.dropout = dropout_of(dropout);
    return options;
  };
  const Segments long_ones = segments_of({19, 37});
  return {
      scored("one_row", segments_of({1}), segments_of({1}), plain),
      scored("unequal_lengths", segments_of({3, 1, 5}), segments_of({2, 4, 1}), plain),
      scored("more_than_a_tile", long_ones, segments_of({37, 19}), plain),
      scored("causal", long_ones, long_ones, with(Pattern::causal())),
      scored("strided", long_ones, long_ones, with(Pattern::strided(5), 0.3)),
      scored("top", segments_of({19, 4}), segments_of({19, 4}), with(Pattern::full().top(3))),
      scored("whole_vectors", segments_of({16, 8}), segments_of({8, 16}),
             {.heads = 2, .d_key = 16, .d_value = 8}),
      scored("grouped_heads", segments_of({3, 4, 1}), segments_of({5, 2, 3}),
             {.heads = 4, .d_key = 4, .d_value = 2, .kv_heads = 2, .scale = 0.7}),
      scored("beside_products", segments_of({19, 1}), segments_of({19, 1}),
             {.heads = 4, .d_key = 3, .d_value = 2}, {additive, nullptr, nullptr, additive}),
      scored("beyond_a_block", segments_of({70}), segments_of({150}), plain),
  };
}

class ScoredAttention : public TestWithParam<AttentionCase> {};

INSTANTIATE_TEST_SUITE_P(Additive, ScoredAttention, ValuesIn(scored_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(ScoredAttention, has_its_gradients_and_equals_plain_ops) {
  const AttentionCase& c = GetParam();
  const auto attend = attend_by(attention, c);
  if (row_count(c.keys) < 100) {
    EXPECT_GRADCHECK(attend, queries_of(c), keys_and_values_of(c), vectors_of(c));
  }
  expect_equals_plain(attend, attend_by(plain_attention, c), queries_of(c), keys_and_values_of(c),
                      vectors_of(c));
}

TEST(ScoredAttentionWithBias, has_the_gradients_of_both) {
  const AttentionCase c = scored("", segments_of({5, 3}), segments_of({5, 3}),
                                 {.heads = 2, .d_key = 3, .d_value = 2, .scale = 0.7});
  const auto call = [&c](Attend* attend, const Var& q, const Var& kv, const Var& weights,
                         const Var& rows) {
    return attend({q}, {kv}, {kv, 6}, c.queries, c.keys, c.options,
                  {.buckets = DistanceBuckets::clipped(2, 1), .by_head = rows}, weights, {});
  };
  const Tensor rows = random_tensor({2, 4}, 9);
  EXPECT_GRADCHECK(std::bind_front(call, attention), queries_of(c), keys_and_values_of(c),
                   vectors_of(c), rows);
  expect_equals_plain_attention(call, queries_of(c), keys_and_values_of(c), vectors_of(c), rows);
}

TEST_P(ScoredAttention, gives_out_its_weights) {
  AttentionCase c = GetParam();
  c.options.dropout = {};
  Tape tape(false);
  const Var kv = tape.constant(keys_and_values_of(c));
  const HeadColumns value{kv, c.options.key_heads() * c.options.d_key};
  expect_output_of_weights({tape.constant(queries_of(c))}, {kv}, value, c, {},
                           tape.constant(vectors_of(c)), 1e-13);
}

// Where tanh rounds to 1, its slope is still not 0: 4 e / (1 + e)² with e = exp(-2 x).
TEST(AdditiveScoreSlope, keeps_its_digits_where_tanh_is_flat) {
  const std::array<double, 16> queries{12};  // the columns of a panel; one is a query
  const std::array<double, 16> dscores{1};
  const std::array<double, 1> key{8};
  const std::array<double, 1> v{0.5};
  double dquery = 0;
  double dkey = 0;
  AdditiveScore().gradients(
      {.width = 1,
       .queries = queries.data(),
       .query_step = 16,
       .query_count = 1,
       .columns = 16,
       .keys = key.data(),
       .key_step = 1,
       .key_count = 1,
       .weights = v},
      dscores.data(), 16,
      {.queries = &dquery, .query_stride = 1, .keys = &dkey, .key_stride = 1, .weights = nullptr});
  const double e = std::exp(-40.0);
  const double slope = 0.5 * 4 * e / ((1 + e) * (1 + e));
  EXPECT_NEAR(dquery / slope, 1, 1e-12);
  EXPECT_NEAR(dkey / slope, 1, 1e-12);
}

TEST(OwnScore, gradients) {
  AttentionOptions options{.heads = 2, .d_key = 3, .d_value = 2, .patterns = {Pattern::causal()}};
  options.scores = {score_by(Nearness{0.5}), nullptr};
  const Segments segments = segments_of({19, 4});
  const Tensor queries = random_tensor({23, 6}, 1);
  const Tensor rows = random_tensor({23, 10}, 22);
  const auto attend = [&](const Var& q, const Var& kv) {
    return attention({q}, {kv}, {kv, 6}, segments, segments, options);
  };
  EXPECT_GRADCHECK(attend, queries, rows);
  EXPECT_GRADCHECK([&](const Var& kv) { return attend(kv.tape().constant(queries), kv); }, rows);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
