// The attention weights that are returned, and the masks that dropout draws.
#include "core/ops/attention/attention.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// softmax of one query's scores by plain loops; zeros if the query sees no key.
std::vector<double> plain_weights(const AttentionCase& c, const Tensor& q, const Tensor& k,
                                  Index segment, Index query, Index head) {
  const Segment& keys = c.keys[segment];
  const Index width = c.options.d_key;
  const Pattern& pattern =
      c.options.patterns[c.options.patterns.size() == 1 ? 0 : static_cast<std::size_t>(head)];
  std::vector<double> weights(static_cast<std::size_t>(keys.rows), 0);
  double sum = 0;
  for (Index j = 0; j < keys.rows; ++j) {
    if (pattern.allowed(c.queries[segment].position + query, keys.position + j,
                        c.queries[segment].prefix)) {
      const double* a = q.row(c.queries[segment].row + query) + head * width;
      const double* b =
          k.row(keys.row + j) + head * c.options.key_heads() / c.options.heads * width;
      const double score = std::inner_product(a, a + width, b, 0.0);
      weights[static_cast<std::size_t>(j)] =
          std::exp(score * c.options.scale.value_or(1 / std::sqrt(static_cast<double>(width))));
      sum += weights[static_cast<std::size_t>(j)];
    }
  }
  for (double& weight : weights) {
    weight = sum > 0 ? weight / sum : 0;
  }
  return weights;
}

std::span<const double> row(const Tensor& x, Index i) {
  return x.values().subspan(static_cast<std::size_t>(i * x.dim(1)),
                            static_cast<std::size_t>(x.dim(1)));
}

// Some or all scores may be -inf.
std::vector<double> softmax(std::span<const double> scores) {
  std::vector<double> weights;
  for (const double score : scores) {
    weights.push_back(std::exp(score));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) {
    weight = sum > 0 ? weight / sum : 0;
  }
  return weights;
}

TEST(AttentionWeights, are_the_softmax_of_each_heads_scores) {
  for (const AttentionCase& c : attention_cases()) {
    SCOPED_TRACE(c.name);
    const Index width = c.options.heads * c.options.d_key;
    const Tensor q = random_tensor({row_count(c.queries), width}, 1, -2, 2);
    const Tensor k = random_tensor({row_count(c.keys), width}, 2, -2, 2);
    Tape tape(false);
    for (Index segment = 0; segment < c.queries.count(); ++segment) {
      for (Index head = 0; head < c.options.heads; ++head) {
        const auto [weights, scores] = head_attention({tape.constant(q)}, {tape.constant(k)},
                                                      c.queries, c.keys, c.options, segment, head);
        ASSERT_EQ(weights.shape(), Shape({c.queries[segment].rows, c.keys[segment].rows}));
        for (Index i = 0; i < weights.dim(0); ++i) {
          const std::vector<double> expected = plain_weights(c, q, k, segment, i, head);
          EXPECT_THAT(row(weights, i), Pointwise(DoubleNear(1e-14), expected));
          const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
          EXPECT_THAT(sum, AnyOf(0, DoubleNear(1, 1e-14)));
          EXPECT_THAT(softmax(row(scores, i)), Pointwise(DoubleNear(1e-14), expected));
        }
      }
    }
  }
}

TEST(AttentionWeights, shape_errors_name_the_op_and_the_shape) {
  Tape tape(false);
  const Var q = tape.constant(random_tensor({3, 4}, 1));
  const Var k = tape.constant(random_tensor({2, 3}, 2));
  EXPECT_THAT(
      [&] {
        head_attention({q}, {k}, segments_of({3}), segments_of({2}), {.heads = 2, .d_key = 2}, 0,
                       0);
      },
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("attention.key"), HasSubstr("(2, 3)"))));
}

// Three sequences; the second fills more than two tiles.
const std::vector<Index> lengths{5, 37, 3};

Segments part(Index i) {
  Segments alone = segments_of({lengths[static_cast<std::size_t>(i)]});
  alone.first_row = 7 + segments_of(lengths)[i].row;
  return alone;
}

Segments whole() {
  Segments all = segments_of(lengths);
  all.first_row = 7;
  return all;
}

// A sequence's rows, with dropout, are bit-identical whatever else is in the batch.
TEST(AttentionDropout, does_not_depend_on_how_the_batch_is_cut) {
  const Tensor all = random_tensor({45, 3 * 2 * 5}, 1);
  const AttentionOptions options{.heads = 2,
                                 .d_key = 5,
                                 .d_value = 5,
                                 .patterns = {Pattern::causal()},
                                 .dropout = dropout_of(0.3)};
  Tape tape(false);
  const auto attend = [&](const Tensor& matrix, const Segments& segments) {
    const Var x = tape.constant(matrix);
    return attention({x, 0}, {x, 10}, {x, 20}, segments, segments, options).value();
  };
  const Tensor together = attend(all, whole());
  for (Index i = 0; i < whole().count(); ++i) {
    const Segment segment = whole()[i];
    const Tensor alone = attend(all.part(segment.row * 30, {segment.rows, 30}), part(i));
    EXPECT_THAT(alone.values(),
                ElementsAreArray(together.part(segment.row * 10, {segment.rows, 10}).values()));
  }
}

Tensor factors(const Dropout& dropout, const Segments& queries = whole(), Index head = 0,
               Index segment = 1) {
  return dropout_factors(queries, segments_of({10, 20, 30}), {.heads = 2, .dropout = dropout},
                         segment, head);
}

// 37 x 20 weights, each dropped or scaled by 1 / (1 - 0.3); tolerance: four standard deviations.
TEST(AttentionDropout, keeps_its_share_and_scales_it) {
  const Tensor drawn = factors(dropout_of(0.3));
  double kept = 0;
  for (const double factor : drawn.values()) {
    EXPECT_THAT(factor, AnyOf(0, DoubleNear(1 / 0.7, 1e-4)));
    kept += factor > 0 ? 1 : 0;
  }
  const double count = static_cast<double>(drawn.size());
  EXPECT_NEAR(kept / count, 0.7, 4 * std::sqrt(0.3 * 0.7 / count));
}

TEST(AttentionDropout, hangs_on_its_address_and_on_nothing_else) {
  const auto drawn_at = [](std::uint64_t seed, const char* stream, Index step) {
    return factors({.probability = 0.3, .draws = Draws(seed, stream, step)});
  };
  const Tensor first = drawn_at(3, "tests.attention", 5);
  const auto same = [&first](const Tensor& other) {
    return std::ranges::equal(first.values(), other.values());
  };
  EXPECT_TRUE(same(drawn_at(3, "tests.attention", 5)));
  EXPECT_FALSE(same(drawn_at(4, "tests.attention", 5)));
  EXPECT_FALSE(same(drawn_at(3, "tests.another", 5)));
  EXPECT_FALSE(same(drawn_at(3, "tests.attention", 6)));
  EXPECT_FALSE(same(factors(dropout_of(0.3), whole(), 1)));
  EXPECT_FALSE(same(factors(dropout_of(0.3), segments_of(lengths))));
}

// Draws depend on key positions: a cache with only the last keys draws the same for these keys.
TEST(AttentionDropout, follows_the_keys_positions) {
  const AttentionOptions options{.dropout = dropout_of(0.3)};
  const Tensor all = dropout_factors(segments_of({19}), segments_of({20}), options, 0, 0);
  const Tensor late = dropout_factors(segments_of({19}), segments_at({{0, 9, 11}}), options, 0, 0);
  for (Index i = 0; i < 19; ++i) {
    EXPECT_THAT(row(late, i), Pointwise(DoubleNear(1e-12), row(all, i).subspan(11)));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
