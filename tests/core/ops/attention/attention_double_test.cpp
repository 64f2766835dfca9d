// The attention op: gradients by differences, values and gradients against plain ops, and the masks
// that dropout of its weights draws.
#include "core/ops/attention/attention.hpp"

#include <tapehead/gtest.hpp>

#include "tests/support/attention_cases.hpp"
#include "tests/support/plain_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Attend = decltype(attention);

// Queries, keys and values in three matrices; also gradients by differences if `checked`.
void expect_three(const AttentionCase& c, bool checked) {
  const AttentionOptions& o = c.options;
  const auto three = [&c](Attend* attend, const Var& q, const Var& k, const Var& v) {
    return attend({q}, {k}, {v}, c.queries, c.keys, c.options, {}, {}, {});
  };
  const Tensor q = random_tensor({row_count(c.queries), o.heads * o.d_key}, 1);
  const Tensor k = random_tensor({row_count(c.keys), o.heads * o.d_key}, 2);
  const Tensor v = random_tensor({row_count(c.keys), o.heads * o.d_value}, 3);
  expect_equals_plain_attention(three, q, k, v);
  if (checked) {
    EXPECT_GRADCHECK(std::bind_front(three, attention), q, k, v);
  }
}

TEST(LongAttention, equals_plain_ops) {
  for (const AttentionCase& c : long_attention_cases()) {
    SCOPED_TRACE(c.name);
    expect_three(c, false);
  }
}

class Attention : public TestWithParam<AttentionCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, Attention, ValuesIn(attention_cases()),
                         [](const auto& test) { return test_name_of(test.param.name); });

TEST_P(Attention, has_its_gradients_and_equals_plain_ops_in_any_layout) {
  const AttentionCase& c = GetParam();
  expect_three(c, true);
  const AttentionOptions& o = c.options;
  const Index width = o.heads * o.d_key;
  const Index value_width = o.heads * o.d_value;
  const Tensor queries = random_tensor({row_count(c.queries), width}, 1);
  // Keys, an unused column, values.
  const auto two = [&](Attend* attend, const Var& q, const Var& kv) {
    return attend({q}, {kv}, {kv, width + 1}, c.queries, c.keys, o, {}, {}, {});
  };
  const Tensor pairs = random_tensor({row_count(c.keys), width + value_width + 1}, 4);
  EXPECT_GRADCHECK(std::bind_front(two, attention), queries, pairs);
  expect_equals_plain_attention(two, queries, pairs);
  // An unused column, queries, keys, values.
  const auto one = [&](Attend* attend, const Var& x) {
    return attend({x, 1}, {x, 1 + width}, {x, 1 + 2 * width}, c.queries, c.keys, o, {}, {}, {});
  };
  if (row_count(c.keys) <= row_count(c.queries)) {
    const Tensor all = random_tensor({row_count(c.queries), 1 + 2 * width + value_width}, 5);
    EXPECT_GRADCHECK(std::bind_front(one, attention), all);
    expect_equals_plain_attention(one, all);
  }
}

// All heads read the same queries, keys and values: their gradients add up in the same columns.
TEST(AttentionOfSharedColumns, equals_plain_ops) {
  const AttentionOptions options{
      .heads = 2, .d_key = 3, .d_value = 3, .patterns = {Pattern::causal(), Pattern::window(1, 1)}};
  const Segments segments = segments_of({5, 2});
  const auto call = [&](Attend* attend, const Var& x, const Var& v) {
    const HeadColumns shared{.matrix = x, .first = 1, .step = 0};
    const HeadColumns overlapping{.matrix = v, .first = 0, .step = 1};
    return attend(shared, shared, overlapping, segments, segments, options, {}, {}, {});
  };
  const Tensor x = random_tensor({7, 4}, 1);
  const Tensor v = random_tensor({7, 4}, 2);
  expect_equals_plain_attention(call, x, v);
  EXPECT_GRADCHECK(std::bind_front(call, attention), x, v);
}

TEST(AttentionValues, are_zero_where_nothing_may_be_attended_to) {
  Tape tape(false);
  const Var q = tape.constant(random_tensor({3, 2}, 1));
  const Var kv = tape.constant(random_tensor({2, 2}, 2));
  const AttentionOptions options{.d_key = 2, .d_value = 2, .patterns = {Pattern::causal()}};
  const Var y = attention({q}, {kv}, {kv}, segments_of({3}), segments_at({{0, 2, 2}}), options);
  EXPECT_THAT(y.value().values().first(4), Each(0));
  EXPECT_THAT(y.value().values().last(2),
              Pointwise(DoubleNear(1e-15), kv.value().values().first(2)));
  const Var none = attention({q}, {kv}, {kv}, segments_of({3}), segments_of({0}), options);
  EXPECT_THAT(none.value().values(), Each(0));
}

// Scores of ± 2000 / √2: only the distance from the row's largest score counts.
TEST(AttentionValues, do_not_overflow) {
  Tape tape(false);
  const Var q = tape.constant(Tensor::of({2, 2}, {1000, 1000, -1000, -1000}));
  const Var k = tape.constant(Tensor::of({2, 2}, {1, 1, -1, -1}));
  const Var y =
      attention({q}, {k}, {k}, segments_of({2}), segments_of({2}), {.d_key = 2, .d_value = 2});
  EXPECT_THAT(y.value().values(), Pointwise(DoubleNear(1e-15), k.value().values()));
}

// Key rows outside all segments. Fresh gradient memory holds arbitrary numbers.
TEST(AttentionOfSomeRows, gives_the_others_no_gradient) {
  Tape tape;
  const Var q = tape.variable(random_tensor({3, 4}, 1));
  const Var kv = tape.variable(random_tensor({7, 8}, 2));
  const Var y = attention({q}, {kv}, {kv, 4}, segments_of({2, 1}), segments_of({3, 2}),
                          {.heads = 1, .d_key = 4, .d_value = 4});
  std::vector<Tensor> dirt(50);
  std::ranges::generate(dirt, [] { return Tensor::full({7, 8}, 99); });
  dirt.clear();
  tape.backward(y, random_tensor({3, 4}, 3));
  const Tensor dkv = tape.gradient(kv);
  EXPECT_THAT(dkv.values().first(5 * 8), Not(Contains(0)));
  EXPECT_THAT(dkv.values().last(2 * 8), Each(0));
}

// Rows so far apart that caches do not hold them: the kernel prefetches the next rows.
TEST(AttentionInAWideMatrix, is_that_of_its_columns_alone) {
  constexpr Index n = 300;
  constexpr Index d = 8;
  const Tensor narrow = random_tensor({n, 3 * d}, 1);
  Tensor wide = Tensor::zeros({n, 2000});
  for (Index i = 0; i < n; ++i) {
    std::copy_n(narrow.row(i), 3 * d, wide.row(i));
  }
  const Segments segments = segments_of({n});
  const AttentionOptions options{
      .heads = 1, .d_key = d, .d_value = d, .patterns = {Pattern::window(70, 20)}};
  const auto run = [&](const Tensor& rows) {
    Tape tape;
    const Var x = tape.variable(rows);
    const Var y = attention({x, 0}, {x, d}, {x, 2 * d}, segments, segments, options);
    tape.backward(y, random_tensor({n, d}, 2));
    return std::pair(y.value(), tape.gradient(x));
  };
  const auto [y, dx] = run(wide);
  const auto [expected_y, expected_dx] = run(narrow);
  EXPECT_TRUE(std::ranges::equal(y.values(), expected_y.values()));
  for (Index i = 0; i < n; ++i) {
    EXPECT_TRUE(std::equal(dx.row(i), dx.row(i) + 3 * d, expected_dx.row(i))) << "row " << i;
    EXPECT_EQ(std::count(dx.row(i) + 3 * d, dx.row(i + 1), 0.0), 2000 - 3 * d) << "row " << i;
  }
}

TEST(AttentionWeights, of_no_queries_or_keys_are_empty) {
  Tape tape(false);
  const Var q = tape.constant(random_tensor({3, 4}, 1));
  const AttentionOptions options{.heads = 2, .d_key = 2};
  const auto shape_of_empty = [&](Index segment) {
    const Segments queries = segments_of({3, 0});
    return head_attention({{q}, {q}, {q}, queries, segments_of({0, 3}), options}, segment, 1)
        .weights.shape();
  };
  EXPECT_EQ(shape_of_empty(0), Shape({3, 0}));
  EXPECT_EQ(shape_of_empty(1), Shape({0, 3}));
}

// Three sequences; the second fills more than two tiles.
const std::vector<Index> lengths{5, 37, 3};

Segments placed(const std::vector<Index>& of, Index first_row) {
  Segments segments = segments_of(of);
  segments.first_row = first_row;
  return segments;
}

Segments whole() { return placed(lengths, 7); }

// A sequence's rows, with dropout, are bit-identical whatever else is in the batch.
TEST(AttentionDropout, does_not_depend_on_how_the_batch_is_cut) {
  const Tensor all = random_tensor({45, 3 * 2 * 5}, 1);
  AttentionOptions options{.heads = 2, .d_key = 5, .d_value = 5, .patterns = {Pattern::causal()}};
  options.dropout = dropout_of(0.3);
  Tape tape(false);
  const auto attend = [&](const Tensor& matrix, const Segments& of) {
    const Var x = tape.constant(matrix);
    return attention({x, 0}, {x, 10}, {x, 20}, of, of, options).value();
  };
  const Tensor together = attend(all, whole());
  const Segments segments = whole();
  for (const Segment& segment : segments.list) {
    const Tensor alone = attend(all.part(segment.row * 30, {segment.rows, 30}),
                                placed({segment.rows}, 7 + segment.row));
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
  EXPECT_THAT(drawn.values(), Each(AnyOf(0, DoubleNear(1 / 0.7, 1e-4))));
  const auto count = static_cast<double>(drawn.size());
  const auto dropped = static_cast<double>(std::ranges::count(drawn.values(), 0.0));
  EXPECT_NEAR(dropped / count, 0.3, 4 * std::sqrt(0.3 * 0.7 / count));
}

TEST(AttentionDropout, hangs_on_its_address_and_on_nothing_else) {
  const auto drawn_at = [](std::uint64_t seed, const char* stream, Index step) {
    return factors({.probability = 0.3, .draws = Draws(seed, stream, step)});
  };
  const Tensor first = drawn_at(3, "tests.attention", 5);
  EXPECT_THAT(drawn_at(3, "tests.attention", 5).values(), ElementsAreArray(first.values()));
  for (const Tensor& other :
       {drawn_at(4, "tests.attention", 5), drawn_at(3, "tests.another", 5),
        drawn_at(3, "tests.attention", 6), factors(dropout_of(0.3), whole(), 1),
        factors(dropout_of(0.3), segments_of(lengths))}) {
    EXPECT_THAT(other.values(), Not(ElementsAreArray(first.values())));
  }
}

// Draws depend on key positions: a cache with only the last keys draws the same for these keys.
TEST(AttentionDropout, follows_the_keys_positions) {
  const AttentionOptions options{.dropout = dropout_of(0.3)};
  const Tensor all = dropout_factors(segments_of({19}), segments_of({20}), options, 0, 0);
  const Tensor late = dropout_factors(segments_of({19}), segments_at({{0, 9, 11}}), options, 0, 0);
  for (Index i = 0; i < 19; ++i) {
    EXPECT_THAT(row_values(late, i), Pointwise(DoubleNear(1e-12), row_values(all, i).subspan(11)));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
