#include "train/plan/step_flops.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// All widths are distinct; the heads have 2 * 7 = 14 columns.
ModelOptions model_of_three_and_two_layers() {
  ModelOptions model;
  model.d_model = 10;
  model.heads = 2;
  model.d_head = 7;
  model.encoder_layers = 3;
  model.decoder_layers = 2;
  model.d_ff = 11;
  return model;
}

// Sequences of lengths 2, 3 -> 1, 4.
StepRows ragged_rows(const Labels& labels = {}) {
  Batch batch;
  batch.context.segments = segments_of({2, 3});
  batch.input.segments = segments_of({1, 4});
  batch.context.ids.resize(5);
  batch.input.ids.resize(5);
  batch.labels = labels;
  return rows_of(batch);
}

// By hand, with three labels.
TEST(StepFlops, count_weights_and_pairs_of_ragged_sequences) {
  ModelOptions model = model_of_three_and_two_layers();
  const StepRows rows = ragged_rows({.every_row = false, .rows = {0, 2, 4}, .ids = {3, 3, 3}});
  const double encoder = 5 * (4 * 140 + 220);                // uses of weights in a layer
  const double decoder = 5 * (6 * 140 + 220) + 5 * 2 * 140;  // keys and values of cross-attention
  const double output = 3 * 10 * 13;                         // rows with a label
  const double encoder_pairs = 4 + 9;
  const double decoder_pairs = (1 + 16) + (2 + 12);
  const double plain = step_flops(model, 13, rows, CountedPairs::all);
  EXPECT_DOUBLE_EQ(plain, 6 * (3 * encoder + 2 * decoder + output) +
                              12 * 14 * (3 * encoder_pairs + 2 * decoder_pairs));
  const double matrix = 6 * (3 * 5 + 2 * 5) * 110;  // in every layer for every row
  model.feed_forward = FeedForwardKind::gated;
  EXPECT_DOUBLE_EQ(step_flops(model, 13, rows, CountedPairs::all), plain + matrix);
  model.feed_forward = FeedForwardKind::none;
  EXPECT_DOUBLE_EQ(step_flops(model, 13, rows, CountedPairs::all), plain - 2 * matrix);
}

HeadPairs pairs_one_by_one(const Pattern& pattern, const SequenceSize& size) {
  HeadPairs pairs;
  for (Index i = 0; i < size.queries; ++i) {
    Index keys = 0;
    for (Index j = 0; j < size.keys; ++j) {
      keys += pattern.allowed(size.query_position + i, size.key_position + j, size.prefix) ? 1 : 0;
    }
    pairs.scores += static_cast<double>(keys);
    pairs.sums +=
        static_cast<double>(pattern.top_count() > 0 ? std::min(keys, pattern.top_count()) : keys);
  }
  return pairs;
}

TEST(AllowedPairs, are_those_that_the_pattern_allows_one_by_one) {
  std::vector<std::pair<std::string, Pattern>> patterns{
      {"a rule", Pattern::by([](Index query, Index key) { return (query + key) % 3 != 0; })}};
  const std::vector<SequenceSize> sizes{{33, 33, 0, 0, 0},   {1, 9, 0, 0, 0},
                                        {9, 20, 31, 20, 0},  // with a memory
                                        {21, 21, 0, 0, 8},   // with a prefix
                                        {12, 17, -4, -9, 0}, {3, 0, 0, 0, 0}};
  for (const char* text :
       {"full", "causal", "window 3 2", "window 4", "window 4 0", "blocks 4", "strided 1",
        "strided 5", "strided 90", "fixed 5 2", "fixed 4 4", "fixed 6 0", "sink_window 2 3",
        "sink_window 90 1", "top_k 3", "top_k 90", "window 5 1 top_k 2", "strided 4 top_k 3"}) {
    patterns.emplace_back(text, AttentionPattern(text).pattern(false));
    patterns.emplace_back(std::string(text) + " of a decoder",
                          AttentionPattern(text).pattern(true));
  }
  for (const auto& [name, pattern] : patterns) {
    for (const SequenceSize& size : sizes) {
      const HeadPairs expected = pairs_one_by_one(pattern, size);
      EXPECT_THAT(allowed_pairs(pattern, size), FieldsAre(expected.scores, expected.sums))
          << name << ", prefix " << size.prefix;
    }
  }
}

// By hand: heads of 7 columns. `window 1` allows 4 + 7 of 4 + 9 pairs.
// `top_k 1` has all scores and 2 + 3 sums. A decoder looks back at 1 + 10 of 1 + 16 pairs. Across,
// `top_k 2` has 2 + 12 scores and 2 + 8 sums.
TEST(StepFlops, count_what_patterns_of_heads_allow) {
  ModelOptions model = model_of_three_and_two_layers();
  const StepRows rows = ragged_rows();
  const double all = step_flops(model, 13, rows, CountedPairs::all);
  const double causal = 2 * 2 * 7 * 2 * (1 + 16 - 11);  // layers, heads, columns, both products
  EXPECT_DOUBLE_EQ(step_flops(model, 13, rows, CountedPairs::allowed), all - 6 * causal);
  model.settings(AttentionKind::encoder_self).pattern.values = {
      {{AttentionPattern("window 1"), AttentionPattern("top_k 1")}}};
  model.settings(AttentionKind::cross).pattern.values = {{{AttentionPattern("top_k 2")}}};
  const double encoder = 3 * 7 * (2 * (13 - 11) + (13 - 5));
  const double cross = 2 * 2 * 7 * (14 - 10);
  EXPECT_DOUBLE_EQ(step_flops(model, 13, rows, CountedPairs::allowed),
                   all - 6 * (causal + encoder + cross));
  EXPECT_DOUBLE_EQ(step_flops(model, 13, rows, CountedPairs::all), all);
}

// Each query is multiplied with the vectors of 7 distances (-3 to 3): 7 numbers each for keys and,
// with Shaw's values, 4 numbers each.
TEST(StepFlops, count_the_vectors_of_distances) {
  ModelOptions model = model_of_three_and_two_layers();
  auto& attention = model.settings(AttentionKind::encoder_self);
  attention.heads.values = {2};
  attention.d_qk.values = {7};
  attention.d_v.values = {4};
  attention.clip.values = {3};
  const auto flops = [&](AttentionPositions positions) {
    attention.positions.values = {positions};
    return step_flops(model, 13, ragged_rows(), CountedPairs::all);
  };
  const double none = flops(AttentionPositions::none);
  EXPECT_DOUBLE_EQ(flops(AttentionPositions::relative_keys) - none, 6 * 3 * 5 * 2 * 7 * 7);
  EXPECT_DOUBLE_EQ(flops(AttentionPositions::relative) - none, 6 * 3 * 5 * 2 * 7 * (7 + 4));
}

// 4 rows after 5 earlier rows, of which a memory of 3 keeps 3: counts their keys, values and pairs.
TEST(StepFlops, count_what_a_memory_has) {
  ModelOptions model = model_of_three_and_two_layers();
  model.family = Family::decoder;
  model.encoder_layers = 0;
  Batch batch;
  batch.context.segments = segments_of({0});
  batch.input.segments = segments_of({4});
  batch.input.segments.list[0].position = 5;
  batch.input.lanes = {0};
  batch.input.ids.resize(4);
  batch.labels = {.every_row = true, .rows = {}, .ids = {3, 3, 3, 3}};
  EXPECT_DOUBLE_EQ(step_flops(model, 13, rows_of(batch, 3), CountedPairs::all) -
                       step_flops(model, 13, rows_of(batch), CountedPairs::all),
                   2 * (6 * 3 * 2 * 140 + 12 * 14 * 4 * 3));
}

}}  // namespace tapehead
