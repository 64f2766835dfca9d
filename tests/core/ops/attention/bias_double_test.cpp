// Attention with a bias by distance: gradients by differences, values and gradients against plain
// ops.
#include "core/ops/attention/bias.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/attention/attention.hpp"
#include "tests/support/bias_cases.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Attend = decltype(attention);

std::span<const double> row(const Tensor& x, Index i) {
  return x.values().subspan(static_cast<std::size_t>(i * x.dim(1)),
                            static_cast<std::size_t>(x.dim(1)));
}

// Queries, keys and values in one matrix.
Tensor rows_of(const BiasCase& c) {
  const AttentionOptions& o = c.attention.options;
  const Index N = std::max(row_count(c.attention.queries), row_count(c.attention.keys));
  return random_tensor({N, o.heads * (2 * o.d_key + o.d_value)}, 5);
}

auto attend_by(Attend* attend, const BiasCase& c) {
  return [attend, &c](const Var& all, const Var& head_rows, const Var& query_rows,
                      const Var& value_rows) {
    const AttentionOptions& o = c.attention.options;
    const Index width = o.heads * o.d_key;
    const Var queries = slice(all, 0, 0, row_count(c.attention.queries));
    return attend({queries}, {all, width}, {all, 2 * width}, c.attention.queries, c.attention.keys,
                  o, c.bias(head_rows, query_rows, value_rows), {}, {});
  };
}

class BiasedAttention : public TestWithParam<BiasCase> {};
class LongBiasedAttention : public TestWithParam<BiasCase> {};

std::string name_of(const TestParamInfo<BiasCase>& test) {
  std::string name = test.param.attention.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, BiasedAttention, ValuesIn(bias_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, LongBiasedAttention, ValuesIn(long_bias_cases()), name_of);

TEST_P(BiasedAttention, gradients) {
  const BiasCase& c = GetParam();
  const auto attend = attend_by(attention, c);
  const Tensor rows = rows_of(c);
  // Bias inputs that the case does not use are replaced by another Var.
  if (c.by_head && c.by_query && c.values) {
    EXPECT_GRADCHECK(attend, rows, c.head_rows(), c.query_rows(), c.value_rows());
  } else if (c.by_head && c.by_query) {
    EXPECT_GRADCHECK(
        [&](const Var& x, const Var& head, const Var& query) { return attend(x, head, query, x); },
        rows, c.head_rows(), c.query_rows());
  } else if (c.by_query && c.values) {
    EXPECT_GRADCHECK([&](const Var& x, const Var& query,
                         const Var& value) { return attend(x, x, query, value); },
                     rows, c.query_rows(), c.value_rows());
  } else if (c.by_head || c.by_query || c.values) {
    const Tensor given = c.by_head ? c.head_rows() : c.by_query ? c.query_rows() : c.value_rows();
    EXPECT_GRADCHECK([&](const Var& x, const Var& one) { return attend(x, one, one, one); }, rows,
                     given);
  } else {
    EXPECT_GRADCHECK([&](const Var& x) { return attend(x, x, x, x); }, rows);
  }
}

TEST_P(BiasedAttention, equals_plain_ops) {
  const BiasCase& c = GetParam();
  expect_equals_plain(attend_by(attention, c), attend_by(plain_attention, c), rows_of(c),
                      c.head_rows(), c.query_rows(), c.value_rows());
}

TEST_P(LongBiasedAttention, equals_plain_ops) {
  const BiasCase& c = GetParam();
  expect_equals_plain(attend_by(attention, c), attend_by(plain_attention, c), rows_of(c),
                      c.head_rows(), c.query_rows(), c.value_rows());
}

// The weights times the values must equal the output.
TEST_P(BiasedAttention, is_in_the_weights_that_are_given_out) {
  BiasCase c = GetParam();
  c.values = false;
  c.attention.options.dropout = {};
  const auto& [name, queries, keys, o] = c.attention;
  Tape tape(false);
  const Var all = tape.constant(rows_of(c));
  const Var query = slice(all, 0, 0, row_count(queries));
  const AttentionBias bias =
      c.bias(tape.constant(c.head_rows()), tape.constant(c.query_rows()), all);
  const HeadColumns key{all, o.heads * o.d_key};
  const HeadColumns value{all, 2 * o.heads * o.d_key};
  const Tensor y = attention({query}, key, value, queries, keys, o, bias).value();
  for (Index segment = 0; segment < queries.count(); ++segment) {
    for (Index head = 0; head < o.heads; ++head) {
      const Tensor weights =
          head_attention({query}, key, queries, keys, o, segment, head, bias).weights;
      for (Index i = 0; i < weights.dim(0); ++i) {
        for (Index column = head * o.d_value; column < (head + 1) * o.d_value; ++column) {
          double sum = 0;
          for (Index j = 0; j < weights.dim(1); ++j) {
            sum += weights.row(i)[j] * all.value().row(keys[segment].row + j)[value.first + column];
          }
          EXPECT_NEAR(y.row(queries[segment].row + i)[column], sum, 1e-14);
        }
      }
    }
  }
}

// Decodes one token at a time. Equals the whole sequence up to rounding, and is bit-identical
// whatever is decoded in the same batch.
void expect_decodes_as_whole(bool values) {
  const Index n = 23;
  const AttentionOptions o{.heads = 2, .d_key = 5, .d_value = 4, .patterns = {Pattern::causal()}};
  const Index width = o.heads * o.d_key;
  Tape tape(false);
  const Var all = tape.constant(random_tensor({n, 2 * width + o.heads * o.d_value}, 5));
  const auto buckets = DistanceBuckets::logarithmic_back(6, 12);
  const Var head_rows = tape.constant(random_tensor({o.heads, buckets.count()}, 6));
  const Var query_rows = tape.constant(random_tensor({n, o.heads * buckets.count()}, 7));
  const Var value_rows = tape.constant(random_tensor({buckets.count(), o.d_value}, 8));
  const auto attend = [&](const Var& query, const Var& rows, const Segments& queries,
                          const Segments& keys) {
    AttentionBias bias{.buckets = buckets,
                       .slopes = alibi_slopes(o.heads),
                       .by_head = head_rows,
                       .by_query = rows};
    if (values) {
      bias.values = value_rows;
    }
    return attention({query}, {all, width}, {all, 2 * width}, queries, keys, o, bias).value();
  };
  const Tensor whole = attend(all, query_rows, segments_of({n}), segments_of({n}));
  for (Index i = 0; i < n; ++i) {
    const Tensor alone = attend(slice(all, 0, i, i + 1), slice(query_rows, 0, i, i + 1),
                                segments_at({{0, 1, i}}), segments_at({{0, i + 1, 0}}));
    EXPECT_THAT(alone.values(), Pointwise(DoubleNear(1e-14), row(whole, i)));
    const Var two = concatenate({slice(all, 0, 3, 4), slice(all, 0, i, i + 1)}, 0);
    const Var two_rows =
        concatenate({slice(query_rows, 0, 3, 4), slice(query_rows, 0, i, i + 1)}, 0);
    const Tensor beside = attend(two, two_rows, segments_at({{0, 1, 3}, {1, 1, i}}),
                                 segments_at({{0, 4, 0}, {0, i + 1, 0}}));
    EXPECT_THAT(row(beside, 1), ElementsAreArray(alone.values()));
  }
}

TEST(BiasedDecoding, equals_the_whole_sequence) { expect_decodes_as_whole(false); }

TEST(BiasedDecoding, equals_the_whole_sequence_with_rows_for_the_values) {
  expect_decodes_as_whole(true);
}

TEST(BiasErrors, name_the_bias_and_the_shapes) {
  Tape tape;
  const auto call = [&tape](const AttentionBias& bias) {
    return [&tape, bias] {
      const Var x = tape.variable(random_tensor({3, 4}, 1));
      attention({x}, {x}, {x}, segments_of({3}), segments_of({3}),
                {.heads = 2, .d_key = 2, .d_value = 2}, bias);
    };
  };
  const auto variable = [&tape](const Shape& shape) {
    return tape.variable(random_tensor(shape, 2));
  };
  const auto buckets = DistanceBuckets::clipped(2, 2);
  const auto says = [](const char* what, const char* more) {
    return ThrowsMessage<ShapeError>(AllOf(HasSubstr(what), HasSubstr(more)));
  };
  EXPECT_THAT(call({.slopes = alibi_slopes(3)}), says("attention.bias", "3 slopes for 2 heads"));
  EXPECT_THAT(call({.buckets = buckets, .by_head = variable({2, 4})}),
              says("attention.bias.by_head: expected (2, 5)", "got (2, 4)"));
  EXPECT_THAT(call({.buckets = buckets, .by_query = variable({3, 5})}),
              says("attention.bias.by_query: expected (3, 10)", "got (3, 5)"));
  EXPECT_THAT(call({.buckets = buckets, .values = variable({5, 3})}),
              says("attention.bias.values: expected (5, 2)", "got (5, 3)"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
