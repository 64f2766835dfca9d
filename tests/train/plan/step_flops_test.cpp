#include "train/plan/step_flops.hpp"

#include <gtest/gtest.h>

namespace tapehead {
namespace {

// Lengths 2, 3 -> 1, 4, by hand, with three labels; every width another number.
TEST(StepFlops, count_weights_and_pairs_of_ragged_sequences) {
  ModelOptions model;
  model.d_model = 10;
  model.heads = 2;
  model.d_head = 7;  // 14 columns
  model.encoder_layers = 3;
  model.decoder_layers = 2;
  model.d_ff = 11;
  Batch batch;
  batch.context.segments = segments_of({2, 3});
  batch.input.segments = segments_of({1, 4});
  batch.context.ids.resize(5);
  batch.input.ids.resize(5);
  batch.labels = {.every_row = false, .rows = {0, 2, 4}, .ids = {3, 3, 3}};
  const double encoder = 5 * (4 * 140 + 220);                // a layer's uses of weights
  const double decoder = 5 * (6 * 140 + 220) + 5 * 2 * 140;  // cross-attention's keys and values
  const double output = 3 * 10 * 13;                         // rows that have a label
  const double encoder_pairs = 4 + 9;
  const double decoder_pairs = (1 + 16) + (2 + 12);
  EXPECT_DOUBLE_EQ(
      step_flops(model, 13, batch),
      6 * (3 * encoder + 2 * decoder + output) + 12 * 14 * (3 * encoder_pairs + 2 * decoder_pairs));
  const double plain = step_flops(model, 13, batch);
  const double matrix = 6 * (3 * 5 + 2 * 5) * 110;  // in every layer, for every row
  model.feed_forward = FeedForwardKind::gated;
  EXPECT_DOUBLE_EQ(step_flops(model, 13, batch), plain + matrix);
  model.feed_forward = FeedForwardKind::none;
  EXPECT_DOUBLE_EQ(step_flops(model, 13, batch), plain - 2 * matrix);
}

// 4 rows with 5 rows before them, of which a memory of 3 has 3: their keys and values, and the
// pairs with them.
TEST(StepFlops, count_what_a_memory_has) {
  ModelOptions model;
  model.family = Family::decoder;
  model.d_model = 10;
  model.heads = 2;
  model.d_head = 7;
  model.encoder_layers = 0;
  model.decoder_layers = 2;
  model.d_ff = 11;
  Batch batch;
  batch.context.segments = segments_of({0});
  batch.input.segments = segments_of({4});
  batch.input.segments.list[0].position = 5;
  batch.input.lanes = {0};
  batch.input.ids.resize(4);
  batch.labels = {.every_row = true, .rows = {}, .ids = {3, 3, 3, 3}};
  EXPECT_DOUBLE_EQ(step_flops(model, 13, batch, 3) - step_flops(model, 13, batch),
                   2 * (6 * 3 * 2 * 140 + 12 * 14 * 4 * 3));
}

}  // namespace
}  // namespace tapehead
