// Attention with a bias by distance: gradients by differences, values and gradients against plain
// ops.
#include "core/ops/attention/bias.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/attention/attention.hpp"
#include "tests/support/bias_cases.hpp"
#include "tests/support/plain_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Attend = decltype(attention);

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

void expect_plain(const BiasCase& c) {
  SCOPED_TRACE(c.attention.name);
  expect_equals_plain(attend_by(attention, c), attend_by(plain_attention, c), rows_of(c),
                      c.head_rows(), c.query_rows(), c.value_rows());
}

class BiasedAttention : public TestWithParam<BiasCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, BiasedAttention, ValuesIn(bias_cases()),
                         [](const auto& test) { return test_name_of(test.param.attention.name); });

TEST_P(BiasedAttention, has_its_gradients_and_equals_plain_ops) {
  const BiasCase& c = GetParam();
  std::vector<Tensor> inputs{rows_of(c)};  // those that the case uses
  const auto place_of = [&inputs](bool used, const Tensor& input) {
    if (used) {
      inputs.push_back(input);
    }
    return used ? inputs.size() - 1 : 0;
  };
  const std::size_t head = place_of(c.by_head, c.head_rows());
  const std::size_t query = place_of(c.by_query, c.query_rows());
  const std::size_t value = place_of(c.values, c.value_rows());
  const GradcheckReport report = gradcheck(
      [&](Tape&, const std::vector<Var>& x) {
        return attend_by(attention, c)(x[0], x[head], x[query], x[value]);
      },
      inputs);
  EXPECT_TRUE(report.ok()) << report.message();
  expect_plain(c);
}

TEST(LongBiasedAttention, equals_plain_ops) {
  std::ranges::for_each(long_bias_cases(), expect_plain);
}

TEST_P(BiasedAttention, is_in_the_weights_that_are_given_out) {
  BiasCase c = GetParam();
  c.values = false;
  c.attention.options.dropout = {};
  const Index width = c.attention.options.heads * c.attention.options.d_key;
  Tape tape(false);
  const Var all = tape.constant(rows_of(c));
  const Var query = slice(all, 0, 0, row_count(c.attention.queries));
  const AttentionBias bias =
      c.bias(tape.constant(c.head_rows()), tape.constant(c.query_rows()), all);
  expect_output_of_weights({query}, {all, width}, {all, 2 * width}, c.attention, bias, {}, 1e-14);
}

class BiasedDecoding : public TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(RowsForTheValues, BiasedDecoding, Bool());

// Decodes one token at a time. Equals the whole sequence up to rounding, and is bit-identical
// whatever is decoded in the same batch.
TEST_P(BiasedDecoding, equals_the_whole_sequence) {
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
    if (GetParam()) {
      bias.values = value_rows;
    }
    return attention({query}, {all, width}, {all, 2 * width}, queries, keys, o, bias).value();
  };
  const Tensor whole = attend(all, query_rows, segments_of({n}), segments_of({n}));
  for (Index i = 0; i < n; ++i) {
    const Tensor alone = attend(slice(all, 0, i, i + 1), slice(query_rows, 0, i, i + 1),
                                segments_at({{0, 1, i}}), segments_at({{0, i + 1, 0}}));
    EXPECT_THAT(alone.values(), Pointwise(DoubleNear(1e-14), row_values(whole, i)));
    const Var two = concatenate({slice(all, 0, 3, 4), slice(all, 0, i, i + 1)}, 0);
    const Var two_rows =
        concatenate({slice(query_rows, 0, 3, 4), slice(query_rows, 0, i, i + 1)}, 0);
    const Tensor beside = attend(two, two_rows, segments_at({{0, 1, 3}, {1, 1, i}}),
                                 segments_at({{0, 4, 0}, {0, i + 1, 0}}));
    EXPECT_THAT(row_values(beside, 1), ElementsAreArray(alone.values()));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
