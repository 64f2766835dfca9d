// Attention with scores other than products: gradients by differences, values and gradients against
// plain ops.
#include <tapehead/gtest.hpp>

#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

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

TEST_P(ScoredAttention, gradients) {
  const AttentionCase& c = GetParam();
  if (row_count(c.keys) < 100) {
    EXPECT_GRADCHECK(attend_by(attention, c), queries_of(c), keys_and_values_of(c), vectors_of(c));
  }
}

TEST_P(ScoredAttention, equals_plain_ops) {
  const AttentionCase& c = GetParam();
  expect_equals_plain(attend_by(attention, c), attend_by(plain_attention, c), queries_of(c),
                      keys_and_values_of(c), vectors_of(c));
}

TEST(ScoredAttentionWithBias, has_the_gradients_of_both) {
  const AttentionCase c = scored("", segments_of({5, 3}), segments_of({5, 3}),
                                 {.heads = 2, .d_key = 3, .d_value = 2, .scale = 0.7});
  const auto by = [&c](Attend* attend) {
    return [&c, attend](const Var& q, const Var& kv, const Var& weights, const Var& rows) {
      return attend({q}, {kv}, {kv, 6}, c.queries, c.keys, c.options,
                    {.buckets = DistanceBuckets::clipped(2, 1), .by_head = rows}, weights, {});
    };
  };
  const Tensor rows = random_tensor({2, 4}, 9);
  EXPECT_GRADCHECK(by(attention), queries_of(c), keys_and_values_of(c), vectors_of(c), rows);
  expect_equals_plain(by(attention), by(plain_attention), queries_of(c), keys_and_values_of(c),
                      vectors_of(c), rows);
}

// The weights times the values must equal the output.
TEST_P(ScoredAttention, gives_out_its_weights) {
  AttentionCase c = GetParam();
  c.options.dropout = {};
  Tape tape(false);
  const Var q = tape.constant(queries_of(c));
  const Tensor rows = keys_and_values_of(c);
  const Var vectors = tape.constant(vectors_of(c));
  const AttentionOptions& o = c.options;
  const Tensor y = attend_by(attention, c)(q, tape.constant(rows), vectors).value();
  const Index segment = c.queries.count() - 1;
  const Index head = o.heads - 1;
  const Tensor weights =
      head_attention({q}, {tape.constant(rows)}, c.queries, c.keys, o, segment, head, {}, vectors)
          .weights;
  const Index column = o.key_heads() * o.d_key + o.key_head(head) * o.d_value;
  for (Index i = 0; i < weights.dim(0); ++i) {
    double expected = 0;
    for (Index j = 0; j < weights.dim(1); ++j) {
      expected += weights.row(i)[j] * rows.row(c.keys[segment].row + j)[column];
    }
    EXPECT_NEAR(y.row(c.queries[segment].row + i)[head * o.d_value], expected, 1e-13);
  }
}

// Where tanh rounds to 1, its slope is still not 0: 4 e / (1 + e)² with e = exp(-2 x).
TEST(AdditiveScoreSlope, keeps_its_digits_where_tanh_is_flat) {
  PoolVector<double> queries(16, 0);  // the columns of a panel; one is a query
  queries[0] = 12;
  PoolVector<double> dscores(16, 0);
  dscores[0] = 1;
  const std::vector<double> key{8};
  const std::vector<double> v{0.5};
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

AttentionCase own_case() {
  return scored("", segments_of({19, 4}), segments_of({19, 4}),
                {.heads = 2, .d_key = 3, .d_value = 2, .patterns = {Pattern::causal()}},
                {score_by(Nearness{0.5}), nullptr});
}

TEST(OwnScore, gradients) {
  const AttentionCase c = own_case();
  const auto attend = [&c](const Var& q, const Var& kv) {
    return attention({q}, {kv}, {kv, 6}, c.queries, c.keys, c.options);
  };
  EXPECT_GRADCHECK(attend, queries_of(c), keys_and_values_of(c));
  EXPECT_GRADCHECK([&](const Var& kv) { return attend(kv.tape().constant(queries_of(c)), kv); },
                   keys_and_values_of(c));
}

// -|q - k|² and 2 q k differ by |q|² + |k|², which a softmax over keys of equal length ignores.
TEST(OwnScore, equals_products_where_keys_have_one_length) {
  AttentionCase c = own_case();
  c.options.scores = {score_by(Nearness{0.5})};
  AttentionCase products = c;
  products.options.scores = {};
  Tensor rows = keys_and_values_of(c);
  for (Index i = 0; i < rows.dim(0); ++i) {
    for (Index head = 0; head < 2; ++head) {
      double* key = rows.row(i) + head * 3;
      const double length = std::hypot(key[0], key[1], key[2]);
      for (Index d = 0; d < 3; ++d) {
        key[d] /= length;
      }
    }
  }
  Tape tape(false);
  const auto output = [&](const AttentionCase& of) {
    const Var kv = tape.constant(rows);
    return attention({tape.constant(queries_of(c))}, {kv}, {kv, 6}, of.queries, of.keys, of.options)
        .value();
  };
  const Tensor one = output(c);
  const Tensor other = output(products);
  for (Index i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one.data()[i], other.data()[i], 1e-12);
  }
}

TEST(ScoredAttentionErrors, say_what_does_not_fit) {
  Tape tape(false);
  const Segments segments = segments_of({2});
  const Var x = tape.constant(random_tensor({2, 6}, 1));
  const auto attend = [&](const Scores& scores, const std::optional<Var>& weights) {
    return [&, scores, weights] {
      attention({x}, {x}, {x}, segments, segments,
                {.heads = 2, .d_key = 3, .d_value = 3, .scores = scores}, {}, weights);
    };
  };
  const Var five = tape.constant(random_tensor({5}, 1));
  EXPECT_THAT(attend({additive}, five),
              ThrowsMessage<ShapeError>(HasSubstr("5 numbers, but the scores have 6")));
  EXPECT_THAT(attend({additive}, {}),
              ThrowsMessage<ShapeError>(HasSubstr("0 numbers, but the scores have 6")));
  EXPECT_THAT(attend({}, five),
              ThrowsMessage<ShapeError>(HasSubstr("5 numbers, but the scores have 0")));
  EXPECT_THAT(attend({nullptr, additive, additive}, five),
              ThrowsMessage<ShapeError>(HasSubstr("3 scores for 2 heads")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
