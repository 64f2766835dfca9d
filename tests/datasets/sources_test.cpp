// Batches for a model that reads its source alone, and for classes: marks, labels, types, masks.
#include "datasets/sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Layout encoder_layout{.input = InputRows::source};
constexpr Layout decoder_layout{.input = InputRows::source_and_target};

// Marks are 1 and 2; the second example has two texts.
Split classified() {
  Split split;
  split.classes = true;
  split.examples = {{.source = {7, 8}, .target = {1}},
                    {.source = {5, end_id, 6, 9}, .target = {0}},
                    {.source = {}, .target = {1}}};
  return split;
}

TEST(EncoderBatches, have_the_class_at_the_first_row) {
  const Batch batch = make_batch(classified(), {0, 1, 2}, encoder_layout);
  EXPECT_THAT(batch.input.ids, ElementsAre(1, 7, 8, 2, 1, 5, 2, 6, 9, 2, 1, 2));
  EXPECT_THAT(batch.input.types, ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0));
  EXPECT_FALSE(batch.labels.every_row);
  EXPECT_THAT(batch.labels.rows, ElementsAre(0, 4, 10));
  EXPECT_THAT(batch.labels.ids, ElementsAre(1, 0, 1));
  EXPECT_THAT(batch.context.ids, IsEmpty());
  expect_whole(batch);
}

TEST(DecoderBatches, have_the_class_at_the_mark_after_the_text) {
  const Batch batch = make_batch(classified(), {1, 2, 0}, decoder_layout);
  EXPECT_THAT(batch.input.ids, ElementsAre(5, 2, 6, 9, 1, 1, 7, 8, 1));
  EXPECT_THAT(batch.labels.rows, ElementsAre(4, 5, 8));
  EXPECT_THAT(batch.labels.ids, ElementsAre(0, 1, 1));
  expect_whole(batch);
}

TEST(EncoderBatches, have_a_label_for_each_token_of_a_source) {
  Split split;
  split.examples = {{.source = {3, 4, 5}, .target = {6, 7, 8}}, {.source = {9}, .target = {3}}};
  const Batch batch = make_batch(split, {1, 0}, encoder_layout);
  EXPECT_THAT(batch.input.ids, ElementsAre(9, 3, 4, 5));
  EXPECT_TRUE(batch.labels.every_row);
  EXPECT_THAT(batch.labels.ids, ElementsAre(3, 6, 7, 8));
  expect_whole(batch);
}

TEST(EncoderBatches, need_sides_of_one_length) {
  Split split;
  split.name = "train";
  split.examples = {{.source = {3}, .target = {4}}, {.source = {3, 4}, .target = {6}}};
  EXPECT_THAT(message_of<DataError>([&] { expect_fits(split, encoder_layout); }),
              HasSubstr("train split, example 2: the source has 2 tokens and the target 1"));
  expect_fits(split, decoder_layout);
}

TEST(Sources, know_the_rows_of_a_batch) {
  const Split split = classified();
  for (const Layout& layout : {encoder_layout, decoder_layout}) {
    const auto source = source_of(split, layout);
    for (Index i = 0; i < split.size(); ++i) {
      const Batch batch = make_batch(split, {i}, layout);
      EXPECT_EQ(source->lengths(i).input, batch.input.rows());
      EXPECT_EQ(source->lengths(i).context, batch.context.rows());
      EXPECT_EQ(source->at(i).predicted, batch.labels.count());
    }
  }
}

// Two documents of four and six tokens, with their end marks, in windows of four.
Split masked_text() {
  TokenTextWriter writer(20);
  writer.add(std::vector<TokenId>{10, 11, 12});
  writer.end_document();
  writer.add(std::vector<TokenId>{13, 14, 15, 16, 17});
  writer.end_document();
  Split split;
  split.windows = {.text = std::make_shared<const TokenText>(writer.finish({})),
                   .windowing = {.context = 4}};
  split.windows.list = evaluation_windows(*split.windows.text, split.windows.windowing, 4);
  split.windows.masking =
      Masking{.share = 0.5, .mask = 20, .words = nullptr, .draws = Draws(3, "masking", 0)};
  return split;
}

TEST(EncoderBatches, hide_some_tokens_of_a_window_and_ask_for_them) {
  const Split split = masked_text();
  for (Index window = 0; window < split.size(); ++window) {
    const Batch batch = make_batch(split, {window}, encoder_layout);
    const Window place = split.windows.list[window];
    ASSERT_EQ(batch.input.rows(), place.rows + 1);
    EXPECT_EQ(batch.input.ids.front(), begin_id);
    EXPECT_EQ(source_of(split, encoder_layout)->lengths(window).input, batch.input.rows());
    std::size_t label = 0;
    for (Index row = 1; row < batch.input.rows(); ++row) {
      const TokenId own = (*split.windows.text)[place.first + row - 1];
      if (label < batch.labels.rows.size() && batch.labels.rows[label] == row) {
        EXPECT_NE(own, end_id);
        EXPECT_EQ(batch.labels.ids[label++], own);
      } else {
        EXPECT_EQ(batch.input.ids[static_cast<std::size_t>(row)], own);
      }
    }
    EXPECT_EQ(label, batch.labels.rows.size());
    expect_whole(batch);
  }
}

}}  // namespace tapehead
