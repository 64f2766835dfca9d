// What ops refuse: messages name the op and the shapes.
#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/heads/head_linear.hpp"
#include "core/ops/heads/head_rotation.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

struct Refusal {
  std::function<void()> call;
  std::vector<std::string> says;
};

void expect_refused(const std::vector<Refusal>& refusals) {
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    const std::string message = message_of<ShapeError>(refusals[i].call);
    EXPECT_NE(message, "no error") << "row " << i;
    for (const std::string& part : refusals[i].says) {
      EXPECT_THAT(message, HasSubstr(part)) << "row " << i;
    }
  }
}

using Ids = std::vector<TokenId>;
using Rows = std::vector<Index>;

class OpRefusals : public Test {
 protected:
  Var x(const Shape& shape) { return tape_.variable(random_tensor(shape, 1)); }

  Tape tape_;
};

TEST_F(OpRefusals, of_plain_ops) {
  const Segments three = segments_of({3});
  std::vector<Refusal> refusals{
      {[&] { mean(x({0, 2})); }, {"mean.x", "got (0, 2)"}},
      {[&] { mean(x({0, 2}), 0); }, {}},
      {[&] { mean(x({3, 2}), -1); }, {}},
      {[&] { mean(x({3}), 0); }, {"mean.x", "expected two axes, got (3)"}},
      {[&] { sum(x({3, 2}), 2); }, {"sum.axis", "(3, 2), got 2"}},
      {[&] { concatenate({x({3, 5}), x({4, 2})}, 0); },
       {"concatenate.pieces[1] after (3, 5)", "expected (4, 5), got (4, 2)"}},
      {[&] { concatenate({x({3, 5}), x({4, 2})}, 1); }, {"expected (3, 2), got (4, 2)"}},
      {[&] { concatenate({x({3, 5}), x({5})}, 0); }, {}},
      {[&] { concatenate({x({3, 5}), x({3, 5})}, 2); }, {}},
      {[&] { concatenate({}, 0); }, {}},
      {[&] { slice(x({3, 5}), 0, 2, 4); }, {"slice: rows 2 to 4", "x (3, 5)"}},
      {[&] { slice(x({3, 5}), 1, 3, 6); }, {"columns 3 to 6"}},
      {[&] { slice(x({3, 5}), 0, -1, 2); }, {}},
      {[&] { slice(x({3, 5}), 0, 2, 1); }, {}},
      {[&] { slice(x({3, 5}), 2, 0, 1); }, {}},
      {[&] { slice(x({3}), 0, 0, 1); }, {}},
      {[&] { join_sequences(x({3, 2}), three, x({3, 5}), three); },
       {"join_sequences.after", "(3, 2)", "(3, 5)"}},
      {[&] { join_sequences(x({3, 2}), segments_of({2}), x({3, 2}), three); },
       {"join_sequences.before", "(3, 2)", "2"}},
      {[&] { join_sequences(x({3, 2}), segments_of({1, 2}), x({3, 2}), three); },
       {"2 sequences before, but 1 after"}},
      {[&] { linear(x({2, 3}), x({5, 4})); },
       {"linear.weight for x (2, 3)", "expected (5, 3), got (5, 4)"}},
      {[&] { linear(x({2, 3}), x({5, 3}), x({3})); },
       {"linear.bias for weight (5, 3)", "expected (5), got (3)"}},
      {[&] { linear(x({3}), x({5, 3})); }, {"linear.x: expected two axes, got (3)"}},
      {[&] { linear_with_rows(x({2, 4}), x({7, 4}), {}, {.first = 5, .count = 3}); },
       {"7 rows: rows 5 to 7 cannot be taken"}},
      {[&] { linear_with_rows(x({2, 4}), x({7, 4}), x({2}), {.first = 4, .count = 3}); },
       {"linear.bias", "(7)"}},
      {[&] { matmul(x({3, 5}), x({4, 2})); },
       {"matmul.b for a (3, 5)", "expected (5, 2), got (4, 2)"}},
      {[&] { matmul(x({3, 5}), x({5})); }, {}},
      {[&] { transpose(x({3})); }, {"transpose.x", "expected two axes, got (3)"}},
  };
  for (const Rows& rows : {Rows{0, 3}, Rows{-1}, Rows{1, 1}, Rows{2, 0}}) {
    refusals.push_back(
        {[this, rows] { select_rows(x({3, 2}), rows); }, {"select_rows.rows", "(3, 2)"}});
  }
  expect_refused(refusals);
}

TEST_F(OpRefusals, of_fused_ops) {
  const auto silu = Activation::silu;
  const Dropout drop{.probability = 0.5, .draws = Draws(3, "tests.refusals", 5)};
  const Ids targets{2, 0, 2, 4};
  Segments late = segments_of({3, 0, 2});
  late.list[2].position = 2;
  expect_refused({
      {[&] { bias_activation(x({2, 3}), x({2}), silu); },
       {"bias_activation.bias for x (2, 3)", "expected (3), got (2)"}},
      {[&] { gated_activation(x({2, 6}), x({3}), silu); },
       {"gated_activation.bias for x (2, 6)", "expected (6), got (3)"}},
      {[&] { gated_activation(x({2, 5}), x({5}), silu); },
       {"gated_activation.x: expected an even number", "got (2, 5)"}},
      {[&] { residual(x({2, 3}), x({3, 2}), x({2})); },
       {"residual.f for x (2, 3)", "expected (2, 3), got (3, 2)"}},
      {[&] { residual(x({2, 3}), x({2, 3}), x({2})); },
       {"residual.bias for x (2, 3)", "expected (3), got (2)"}},
      {[&] { dropout(x({3}), drop); }, {"dropout.x: expected two axes, got (3)"}},
      {[&] { layer_norm(x({2, 3}), x({2}), x({3})); },
       {"layer_norm.gain for x (2, 3)", "expected (3), got (2)"}},
      {[&] { layer_norm(x({2, 3}), x({3}), x({2})); },
       {"layer_norm.bias for x (2, 3)", "expected (3), got (2)"}},
      {[&] { rms_norm(x({2, 3}), x({2})); },
       {"rms_norm.gain for x (2, 3)", "expected (3), got (2)"}},
      {[&] { softmax(x({3})); }, {"softmax.x", "expected two axes, got (3)"}},
      {[&] { log_softmax(x({3})); }, {"log_softmax.x"}},
      {[&] { cross_entropy(x({3, 5}), targets); },
       {"cross_entropy.logits for 4 targets", "expected (4, 5), got (3, 5)"}},
      {[&] { cross_entropy(x({3, 5}), Ids{0, 5, 1}); },
       {"cross_entropy.targets: 5", "one of the 5 logits"}},
      {[&] { cross_entropy(x({3, 5}), Ids{0, -1, 1}); },
       {"cross_entropy.targets: -1", "one of the 5 logits"}},
      {[&] { lookup(x({4, 3}), Ids{1, 4}); }, {"lookup.ids: 4 is outside the table's 0 ... 3"}},
      {[&] { lookup(x({4, 3}), Ids{-1}); }, {"lookup.ids: -1 is outside the table's 0 ... 3"}},
      {[&] { lookup(x({4}), targets); }, {"lookup.table: expected two axes, got (4)"}},
      {[&] { add_positions(x({5, 3}), x({4, 2}), late); },
       {"add_positions.table for x (5, 3)", "expected (4, 3), got (4, 2)"}},
      {[&] { add_positions(x({5, 3}), x({4, 3}), segments_of({4})); },
       {"add_positions.x: expected the 4 rows of the segments", "got (5, 3)"}},
      {[&] { add_positions(x({5, 3}), x({3, 3}), late); },
       {"add_positions: position: 3 is outside the table's 0 ... 2", "raise model.max_positions"}},
  });
}

TEST_F(OpRefusals, of_attention) {
  const Segments two = segments_of({2});
  const Segments three = segments_of({3});
  const Segments queries = segments_of({2, 2});
  const Segments keys = segments_of({3, 2});
  Segments before = keys;
  before.list.back().row = -1;
  const auto attend = [&](const Shape& q, const Shape& k, const Shape& v, const Segments& of,
                          std::size_t patterns = 1) {
    attention({x(q), 1}, {x(k)}, {x(v)}, queries, of,
              {.heads = 2,
               .d_key = 3,
               .d_value = 1,
               .patterns = PoolVector<Pattern>(patterns, Pattern::full())});
  };
  const auto attend_biased = [&](const AttentionBias& bias) {
    const Var all = x({3, 4});
    attention({all}, {all}, {all}, three, three, {.heads = 2, .d_key = 2, .d_value = 2}, bias);
  };
  const auto buckets = DistanceBuckets::clipped(2, 2);
  const auto additive = std::make_shared<const AdditiveScore>();
  using Scores = PoolVector<std::shared_ptr<const PairScore>>;
  const auto attend_scored = [&](const Scores& scores, const std::optional<Var>& weights) {
    const Var all = x({2, 6});
    attention({all}, {all}, {all}, two, two,
              {.heads = 2, .d_key = 3, .d_value = 3, .scores = scores}, {}, weights);
  };
  expect_refused({
      {[&] { attend({4, 6}, {5, 6}, {5, 2}, keys); },
       {"attention.query: expected at least 4 rows, and 6 columns from column 1 on", "got (4, 6)"}},
      {[&] { attend({5, 7}, {5, 6}, {5, 2}, keys); },
       {"attention.query: expected the 4 rows of the query segments", "got (5, 7)"}},
      {[&] { attend({4, 7}, {4, 6}, {5, 2}, keys); },
       {"attention.key: expected at least 5 rows, and 6 columns", "got (4, 6)"}},
      {[&] { attend({4, 7}, {5, 6}, {5, 1}, keys); },
       {"attention.value: expected at least 5 rows, and 2 columns", "got (5, 1)"}},
      {[&] { attend({4, 7}, {5, 6}, {5}, keys); },
       {"attention.value: expected two axes", "got (5)"}},
      {[&] { attend({4, 7}, {5, 6}, {5, 2}, segments_of({5})); },
       {"attention: 2 query segments", "1 key segments"}},
      {[&] { attend({4, 7}, {5, 6}, {5, 2}, before); },
       {"attention: a key segment of", "begins at row -1"}},
      {[&] { attend({4, 7}, {5, 6}, {5, 2}, keys, 3); },
       {"attention: 3 patterns for 2 heads", "one for each"}},
      {[&] {
         const Var key = x({2, 3});
         head_attention({{x({3, 4})}, {key}, {key}, three, two, {.heads = 2, .d_key = 2}}, 0, 0);
       },
       {"attention.key", "(2, 3)"}},
      {[&] { attend_biased({.slopes = alibi_slopes(3)}); },
       {"attention.bias", "3 slopes for 2 heads"}},
      {[&] { attend_biased({.buckets = buckets, .by_head = x({2, 4})}); },
       {"attention.bias.by_head: expected (2, 5)", "got (2, 4)"}},
      {[&] { attend_biased({.buckets = buckets, .by_query = x({3, 5})}); },
       {"attention.bias.by_query: expected (3, 10)", "got (3, 5)"}},
      {[&] { attend_biased({.buckets = buckets, .values = x({5, 3})}); },
       {"attention.bias.values: expected (5, 2)", "got (5, 3)"}},
      {[&] { attend_scored({additive}, x({5})); }, {"5 numbers, but the scores need 6"}},
      {[&] { attend_scored({additive}, {}); }, {"0 numbers, but the scores need 6"}},
      {[&] { attend_scored({}, x({5})); }, {"5 numbers, but the scores need 0"}},
      {[&] { attend_scored({nullptr, additive, additive}, x({5})); }, {"3 scores for 2 heads"}},
  });
}

TEST_F(OpRefusals, of_ops_on_heads) {
  const Var heads = x({2, 7});
  const Segments late{.list = {{0, 2, 2}}};
  expect_refused({
      {[&] { settled_gates(heads); }, {"settled_gates.log_alpha", "(2, 7)"}},
      {[&] { draw_gates(heads, Draws(3, "tests", 1)); }, {"draw_gates.log_alpha", "(2, 7)"}},
      {[&] { open_gates(heads); }, {"open_gates.log_alpha", "(2, 7)"}},
      {[&] { scale_heads({heads}, x({2}), 2, 4); }, {"scale_heads.x", "(2, 7)", "8 columns"}},
      {[&] { sum_heads({heads}, x({2}), 3, 2); }, {"sum_heads.weights", "(3)"}},
      {[&] { head_linear({heads}, x({5, 3}), 2, 2); },
       {"head_linear.weight", "2 rows for each of 2 heads"}},
      {[&] { drop_heads({heads}, segments_of({3}), 2, 3, {}); }, {"drop_heads.x"}},
      {[&] { rotate_heads({heads}, rotations(3, 4), late, 1, 4); }, {"position 3", "0 ... 2"}},
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
