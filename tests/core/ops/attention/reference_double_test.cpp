// Attention against its formula: values, and gradients by differences of the formula.
#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "tests/reference/attention.hpp"
#include "tests/reference/expect_like.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/plain_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using reference::Array;
using reference::attention_weights;
using reference::dot;
using reference::transpose;

// Sequences with more queries than keys, with fewer, and with one query; three heads.
Segments some_queries() { return segments_of({19, 4, 1}); }
Segments some_keys() { return segments_of({7, 11, 5}); }
AttentionOptions three_heads() { return {.heads = 3, .d_key = 5, .d_value = 2, .scale = 0.7}; }

Tensor queries_for(const AttentionOptions& o) { return random_tensor({24, o.heads * o.d_key}, 1); }
Tensor keys_for(const AttentionOptions& o) {
  return random_tensor({23, o.key_heads() * o.d_key}, 2);
}
Tensor values_for(const AttentionOptions& o) {
  return random_tensor({23, o.key_heads() * o.d_value}, 3);
}

// Compares attention with f(Q, K, V, s, h, rest...); `more_of(rest...)` makes the bias and the
// weights of the scores.
template <class Formula, class MoreOf, class... Rest>
void expect_attention(const AttentionOptions& o, const Formula& f, const MoreOf& more_of,
                      const Rest&... rest) {
  const Segments queries = some_queries();
  const Segments keys = some_keys();
  expect_like(
      [&](const Array& q, const Array& k, const Array& v, const auto&... more) {
        return reference::each_head(q, k, v, queries, keys, o,
                                    [&](const Array& Q, const Array& K, const Array& V, Index s,
                                        Index h) -> Array { return f(Q, K, V, s, h, more...); });
      },
      [&](const Var& q, const Var& k, const Var& v, const auto&... more) {
        const auto [bias, score_weights] = more_of(more...);
        return attention({q}, {k}, {v}, queries, keys, o, bias, score_weights);
      },
      queries_for(o), keys_for(o), values_for(o), rest...);
}

using More = std::pair<AttentionBias, std::optional<Var>>;
const auto no_more = [] { return More{}; };

// The mask of head h in sequence s: which keys each query sees.
Array seen(const AttentionOptions& o, Index s, Index h) {
  const std::size_t number = o.patterns.size() == 1 ? 0 : static_cast<std::size_t>(h);
  return reference::seen(o.patterns[number], some_queries()[s], some_keys()[s]);
}

void expect_products(const AttentionOptions& o) {
  expect_attention(
      o,
      [&](const Array& Q, const Array& K, const Array& V, Index s, Index h) {
        return reference::attention(Q, K, V, seen(o, s, h), o.score_factor());
      },
      no_more);
}

TEST(ReferenceAttention, of_patterns) {
  const std::vector<PoolVector<Pattern>> patterns{
      {Pattern::full()},
      {Pattern::causal()},
      {Pattern::window(2, 1)},
      {Pattern::blocks(3)},
      {Pattern::strided(3)},
      {Pattern::fixed(4, 1)},
      {Pattern::fixed(4, 1).looking_back()},
      {Pattern::by([](Index query, Index key) { return (query + key) % 3 != 1; })},
      {Pattern::full(), Pattern::causal(), Pattern::window(1, 2)}};
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    SCOPED_TRACE("pattern " + std::to_string(i));
    AttentionOptions options = three_heads();
    options.patterns = patterns[i];
    expect_products(options);
  }
}

TEST(ReferenceAttention, of_the_largest_scores) {
  AttentionOptions o = three_heads();
  o.patterns = {Pattern::window(9, 5).top(3)};
  expect_attention(
      o,
      [&](const Array& Q, const Array& K, const Array& V, Index s, Index h) {
        const Array S = o.score_factor() * dot(Q, transpose(K));
        return dot(attention_weights(S, reference::top(3, S, seen(o, s, h))), V);
      },
      no_more);
}

// The cases of the other tests: remainders of panels and vectors, several tiles and blocks, keys
// that overlap or leave gaps, queries that see no key.
class ReferenceAttentionOf : public TestWithParam<AttentionCase> {};

const auto name_of_case = [](const auto& test) { return test_name_of(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Cases, ReferenceAttentionOf, ValuesIn(attention_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Long, ReferenceAttentionOf, ValuesIn(long_attention_cases()),
                         name_of_case);

TEST_P(ReferenceAttentionOf, a_case) {
  const AttentionCase& c = GetParam();
  const AttentionOptions& o = c.options;
  std::vector<Array> kept;
  for (Index s = 0; o.dropout.active() && s < c.queries.count(); ++s) {
    for (Index h = 0; h < o.heads; ++h) {
      kept.push_back(array(dropout_factors(c.queries, c.keys, o, s, h)));
    }
  }
  const auto weights = [&](const Array& Q, const Array& K, Index s, Index h) {
    const std::size_t number = o.patterns.size() == 1 ? 0 : static_cast<std::size_t>(h);
    return attention_weights(o.score_factor() * dot(Q, transpose(K)),
                             reference::seen(o.patterns[number], c.queries[s], c.keys[s]));
  };
  const auto head = [&](const Array& Q, const Array& K, const Array& V, Index s, Index h) -> Array {
    Array W = weights(Q, K, s, h);
    if (o.dropout.active()) {
      W *= kept[static_cast<std::size_t>(s * o.heads + h)];
    }
    return dot(W, V);
  };
  const Tensor q = random_tensor({row_count(c.queries), o.heads * o.d_key}, 1);
  const Tensor k = random_tensor({row_count(c.keys), o.heads * o.d_key}, 2);
  const Tensor v = random_tensor({row_count(c.keys), o.heads * o.d_value}, 3);
  expect_like(
      [&](const Array& Q, const Array& K, const Array& V) {
        return reference::each_head(Q, K, V, c.queries, c.keys, o, head);
      },
      [&](const Var& Q, const Var& K, const Var& V) {
        return attention({Q}, {K}, {V}, c.queries, c.keys, o);
      },
      q, k, v);

  // The weights that are given out, and their scores: -inf where a query may not attend.
  Tape tape(false);
  reference::each_head(
      array(q), array(k), array(v), c.queries, c.keys, o,
      [&](const Array& Q, const Array& K, const Array& V, Index s, Index h) -> Array {
        const auto [given, scores] = head_attention(
            {{tape.constant(q)}, {tape.constant(k)}, {tape.constant(v)}, c.queries, c.keys, o}, s,
            h);
        const Array W = weights(Q, K, s, h);
        EXPECT_EQ(given.shape(), xtensor_view::shape_of(W));
        const Array ones = xt::ones<double>(W.shape());
        expect_near(array(given), W, 1e-14);
        expect_near(attention_weights(array(scores), ones), W, 1e-14);
        return dot(W, V);
      });
}

// Slopes of Press et al. 2022 per head, numbers of Raffel et al. 2020 and Shaw et al. 2018, and
// rows added to the values (Shaw et al. 2018, equation 3).
TEST(ReferenceAttention, with_a_bias) {
  const AttentionOptions o = three_heads();
  const DistanceBuckets buckets = DistanceBuckets::clipped(3, 2);
  const Index B = buckets.count();
  const PoolVector<double> slopes = alibi_slopes(o.heads);
  const auto bucket = [&](Index i, Index j) { return static_cast<std::size_t>(buckets.at(j - i)); };
  expect_attention(
      o,
      [&](const Array& Q, const Array& K, const Array& V, Index s, Index h, const Array& by_head,
          const Array& by_query, const Array& rows) {
        const Segment queries = some_queries()[s];
        const Segment keys = some_keys()[s];
        const auto column = static_cast<std::size_t>(h * B);
        const auto head = static_cast<std::size_t>(h);
        const Array bias = reference::each_pair(queries, keys, [&](Index i, Index j) {
          return by_head(head, bucket(i, j)) + by_query(queries.row + i, column + bucket(i, j)) -
                 slopes[head] * static_cast<double>(std::abs(j - i));
        });
        const Array W =
            attention_weights(o.score_factor() * dot(Q, transpose(K)) + bias, seen(o, s, h));
        Array y = dot(W, V);
        for (Index i = 0; i < queries.rows; ++i) {
          for (Index j = 0; j < keys.rows; ++j) {
            xt::view(y, i) += W(i, j) * xt::view(rows, bucket(i, j));
          }
        }
        return y;
      },
      [&](const Var& by_head, const Var& by_query, const Var& rows) {
        const AttentionBias bias{.buckets = buckets,
                                 .slopes = slopes,
                                 .by_head = by_head,
                                 .by_query = by_query,
                                 .values = rows};
        return More{bias, {}};
      },
      random_tensor({o.heads, B}, 4), random_tensor({24, o.heads * B}, 5),
      random_tensor({B, o.d_value}, 7));
}

TEST(ReferenceAttention, by_additive_scores) {
  AttentionOptions o = three_heads();
  o.scores = {std::make_shared<const AdditiveScore>()};
  expect_attention(
      o,
      [&](const Array& Q, const Array& K, const Array& V, Index s, Index h, const Array& weights) {
        const Array S = reference::additive_scores(Q, K, xt::view(weights, h));
        return dot(attention_weights(o.score_factor() * S, seen(o, s, h)), V);
      },
      [](const Var& weights) { return More{{}, weights}; }, random_tensor({o.heads, o.d_key}, 8));
}

TEST(ReferenceAttention, by_a_score_for_each_pair) {
  AttentionOptions o = three_heads();
  o.scores = {score_by(Nearness{1})};
  expect_attention(
      o,
      [&](const Array& Q, const Array& K, const Array& V, Index s, Index h) {
        const Array S = o.score_factor() * reference::distance_scores(Q, K);
        return dot(attention_weights(S, seen(o, s, h)), V);
      },
      no_more);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
