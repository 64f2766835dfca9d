// The attention op: gradients by differences, values and gradients against plain ops.
#include "core/ops/attention/attention.hpp"

#include <tapehead/gtest.hpp>

#include "tests/support/attention_cases.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Tensor queries_of(const AttentionCase& c) {
  return random_tensor({row_count(c.queries), c.options.heads * c.options.d_key}, 1);
}

Tensor keys_of(const AttentionCase& c) {
  return random_tensor({row_count(c.keys), c.options.heads * c.options.d_key}, 2);
}

Tensor values_of(const AttentionCase& c) {
  return random_tensor({row_count(c.keys), c.options.heads * c.options.d_value}, 3);
}

// One matrix: keys, an unused column, values.
Tensor keys_and_values_of(const AttentionCase& c) {
  const AttentionOptions& o = c.options;
  return random_tensor({row_count(c.keys), o.heads * (o.d_key + o.d_value) + 1}, 4);
}

// One matrix: an unused column, queries, keys, values.
Tensor all_of(const AttentionCase& c) {
  const AttentionOptions& o = c.options;
  return random_tensor({row_count(c.queries), 1 + o.heads * (2 * o.d_key + o.d_value)}, 5);
}

bool fits_one_matrix(const AttentionCase& c) { return row_count(c.keys) <= row_count(c.queries); }

using Attend = decltype(attention);

// Three layouts of queries, keys and values: separate, keys with values, one matrix.
Var separate(Attend* attend, const AttentionCase& c, const Var& q, const Var& k, const Var& v) {
  return attend({q}, {k}, {v}, c.queries, c.keys, c.options, {}, {}, {});
}

Var keys_with_values(Attend* attend, const AttentionCase& c, const Var& q, const Var& kv) {
  return attend({q}, {kv}, {kv, c.options.heads * c.options.d_key + 1}, c.queries, c.keys,
                c.options, {}, {}, {});
}

Var one_matrix(Attend* attend, const AttentionCase& c, const Var& all) {
  const Index width = c.options.heads * c.options.d_key;
  return attend({all, 1}, {all, 1 + width}, {all, 1 + 2 * width}, c.queries, c.keys, c.options, {},
                {}, {});
}

class Attention : public TestWithParam<AttentionCase> {};
class LongAttention : public TestWithParam<AttentionCase> {};

std::string name_of(const TestParamInfo<AttentionCase>& test) {
  std::string name = test.param.name;
  std::ranges::replace_if(name, [](char letter) { return letter == ' ' || letter == ','; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Attention, ValuesIn(attention_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, LongAttention, ValuesIn(long_attention_cases()), name_of);

TEST_P(Attention, gradients_of_separate_matrices) {
  const AttentionCase& c = GetParam();
  EXPECT_GRADCHECK(
      [&c](const Var& q, const Var& k, const Var& v) { return separate(attention, c, q, k, v); },
      queries_of(c), keys_of(c), values_of(c));
}

TEST_P(Attention, gradients_of_keys_and_values_in_one_matrix) {
  const AttentionCase& c = GetParam();
  EXPECT_GRADCHECK(
      [&c](const Var& q, const Var& kv) { return keys_with_values(attention, c, q, kv); },
      queries_of(c), keys_and_values_of(c));
}

TEST_P(Attention, gradients_of_all_in_one_matrix) {
  const AttentionCase& c = GetParam();
  if (fits_one_matrix(c)) {
    EXPECT_GRADCHECK([&c](const Var& all) { return one_matrix(attention, c, all); }, all_of(c));
  }
}

TEST_P(Attention, equals_plain_ops) {
  const AttentionCase& c = GetParam();
  const auto apart = [&c](Attend* attend) {
    return [&c, attend](const Var& q, const Var& k, const Var& v) {
      return separate(attend, c, q, k, v);
    };
  };
  const auto paired = [&c](Attend* attend) {
    return [&c, attend](const Var& q, const Var& kv) { return keys_with_values(attend, c, q, kv); };
  };
  const auto joined = [&c](Attend* attend) {
    return [&c, attend](const Var& all) { return one_matrix(attend, c, all); };
  };
  expect_equals_plain(apart(attention), apart(plain_attention), queries_of(c), keys_of(c),
                      values_of(c));
  expect_equals_plain(paired(attention), paired(plain_attention), queries_of(c),
                      keys_and_values_of(c));
  if (fits_one_matrix(c)) {
    expect_equals_plain(joined(attention), joined(plain_attention), all_of(c));
  }
}

TEST_P(LongAttention, equals_plain_ops) {
  const AttentionCase& c = GetParam();
  const auto apart = [&c](Attend* attend) {
    return [&c, attend](const Var& q, const Var& k, const Var& v) {
      return separate(attend, c, q, k, v);
    };
  };
  expect_equals_plain(apart(attention), apart(plain_attention), queries_of(c), keys_of(c),
                      values_of(c));
}

// All heads read the same queries, keys and values: their gradients add up in the same columns.
TEST(AttentionOfSharedColumns, equals_plain_ops) {
  const AttentionOptions options{
      .heads = 2, .d_key = 3, .d_value = 3, .patterns = {Pattern::causal(), Pattern::window(1, 1)}};
  const auto with = [&](Attend* attend) {
    return [&options, attend](const Var& x, const Var& v) {
      const HeadColumns shared{.matrix = x, .first = 1, .step = 0};
      const HeadColumns overlapping{.matrix = v, .first = 0, .step = 1};
      return attend(shared, shared, overlapping, segments_of({5, 2}), segments_of({5, 2}), options,
                    {}, {}, {});
    };
  };
  const Tensor x = random_tensor({7, 4}, 1);
  const Tensor v = random_tensor({7, 4}, 2);
  expect_equals_plain(with(attention), with(plain_attention), x, v);
  EXPECT_GRADCHECK(with(attention), x, v);
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

TEST(AttentionErrors, name_the_op_and_the_shapes) {
  Tape tape;
  const auto call = [&tape](const Shape& q, const Shape& k, const Shape& v, const Segments& keys,
                            PoolVector<Pattern> patterns) {
    return [=, &tape, patterns = std::move(patterns)] {
      attention({tape.variable(random_tensor(q, 1)), 1}, {tape.variable(random_tensor(k, 2))},
                {tape.variable(random_tensor(v, 3))}, segments_of({2, 2}), keys,
                {.heads = 2, .d_key = 3, .d_value = 1, .patterns = patterns});
    };
  };
  const Segments keys = segments_of({3, 2});
  const PoolVector<Pattern> one{Pattern::full()};
  const PoolVector<Pattern> three(3, Pattern::full());
  const auto says = [](const char* what, const char* more) {
    return ThrowsMessage<ShapeError>(AllOf(HasSubstr(what), HasSubstr(more)));
  };
  EXPECT_THAT(call({4, 6}, {5, 6}, {5, 2}, keys, one),
              says("attention.query: expected at least 4 rows, and 6 columns from column 1 on",
                   "got (4, 6)"));
  EXPECT_THAT(call({5, 7}, {5, 6}, {5, 2}, keys, one),
              says("attention.query: expected the 4 rows of the query segments", "got (5, 7)"));
  EXPECT_THAT(call({4, 7}, {4, 6}, {5, 2}, keys, one),
              says("attention.key: expected at least 5 rows, and 6 columns", "got (4, 6)"));
  EXPECT_THAT(call({4, 7}, {5, 6}, {5, 1}, keys, one),
              says("attention.value: expected at least 5 rows, and 2 columns", "got (5, 1)"));
  EXPECT_THAT(call({4, 7}, {5, 6}, {5}, keys, one),
              says("attention.value: expected two axes", "got (5)"));
  EXPECT_THAT(call({4, 7}, {5, 6}, {5, 2}, segments_of({5}), one),
              says("attention: 2 query segments", "1 key segments"));
  Segments before = keys;
  before.list.back().row = -1;
  EXPECT_THAT(call({4, 7}, {5, 6}, {5, 2}, before, one),
              says("attention: a key segment of", "begins at row -1"));
  EXPECT_THAT(call({4, 7}, {5, 6}, {5, 2}, keys, three),
              says("attention: 3 patterns for 2 heads", "one for each"));
}

// Key rows outside all segments. Fresh gradient memory holds arbitrary numbers.
TEST(AttentionOfSomeRows, gives_the_others_no_gradient) {
  const Segments queries = segments_of({2, 1});
  const Segments keys = segments_of({3, 2});
  Tape tape;
  const Var q = tape.variable(random_tensor({3, 4}, 1));
  const Var kv = tape.variable(random_tensor({7, 8}, 2));
  const AttentionOptions options{
      .heads = 1, .d_key = 4, .d_value = 4, .patterns = {Pattern::full()}};
  const Var y = attention({q}, {kv}, {kv, 4}, queries, keys, options);
  {
    std::vector<Tensor> dirt;
    for (int i = 0; i < 50; ++i) {
      dirt.push_back(Tensor::full({7, 8}, 99));
    }
  }
  tape.backward(y, random_tensor({3, 4}, 3));
  const Tensor dkv = tape.gradient(kv);
  for (Index i = 0; i < 7; ++i) {
    EXPECT_EQ(std::count(dkv.row(i), dkv.row(i) + 8, 0.0), i < 5 ? 0 : 8) << "row " << i;
  }
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
