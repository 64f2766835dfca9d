// Batches for models that read only the source, and for classes: marks, labels, types, masks. Also
// relations of a source and a target that form one sequence.
#include "datasets/text/labelled_options.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

constexpr Layout encoder_layout{.input = InputRows::source};
constexpr Layout decoder_layout{.input = InputRows::source_and_target};

// The marks are 1 and 2; the second example has two texts.
std::shared_ptr<const Source> classified(const Layout& layout) {
  return class_source({{.tokens = {7, 8}, .first_text = 2, .label = 1},
                       {.tokens = {5, end_id, 6, 9}, .first_text = 1, .label = 0},
                       {.tokens = {}, .first_text = 0, .label = 1}},
                      layout);
}

TEST(EncoderBatches, have_the_class_at_the_first_row_and_types_of_two_texts) {
  const Batch batch = pack(*classified(encoder_layout), {0, 1, 2});
  EXPECT_THAT(batch.input.ids, ElementsAre(1, 7, 8, 2, 1, 5, 2, 6, 9, 2, 1, 2));
  EXPECT_THAT(batch.input.types, ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0));
  EXPECT_FALSE(batch.labels.every_row);
  EXPECT_THAT(batch.labels.rows, ElementsAre(0, 4, 10));
  EXPECT_THAT(batch.labels.ids, ElementsAre(1, 0, 1));
  EXPECT_THAT(batch.context.ids, IsEmpty());
  expect_whole(batch);
  // The second text begins where the length of the first one says, whatever marks are in it.
  const auto marked = class_source(
      {{.tokens = {5, end_id, 6, end_id, 9}, .first_text = 3, .label = 1}}, encoder_layout);
  EXPECT_THAT(pack(*marked, {0}).input.types, ElementsAre(0, 0, 0, 0, 0, 1, 1));
}

TEST(DecoderBatches, have_the_class_at_the_mark_after_the_text) {
  const Batch batch = pack(*classified(decoder_layout), {1, 2, 0});
  EXPECT_THAT(batch.input.ids, ElementsAre(5, 2, 6, 9, 1, 1, 7, 8, 1));
  EXPECT_THAT(batch.labels.rows, ElementsAre(4, 5, 8));
  EXPECT_THAT(batch.labels.ids, ElementsAre(0, 1, 1));
  expect_whole(batch);
}

TEST(EncoderBatches, have_a_label_for_each_token_of_a_source_so_its_sides_need_one_length) {
  const auto source = pair_source(
      Examples{{.source = {3, 4, 5}, .target = {6, 7, 8}}, {.source = {9}, .target = {3}}},
      encoder_layout);
  const Batch batch = pack(*source, {1, 0});
  EXPECT_THAT(batch.input.ids, ElementsAre(9, 3, 4, 5));
  EXPECT_TRUE(batch.labels.every_row);
  EXPECT_THAT(batch.labels.ids, ElementsAre(3, 6, 7, 8));
  expect_whole(batch);
  const auto pairs = std::make_shared<const Examples>(
      Examples{{.source = {3}, .target = {4}}, {.source = {3, 4}, .target = {6}}});
  EXPECT_THAT(
      [&] { pair_source(pairs, encoder_layout, {}, "train"); },
      throws<DataError>("train split, example 2: the source has 2 tokens and the target 1"));
  EXPECT_NO_THROW(pair_source(pairs, decoder_layout, {}, "train"));
}

TEST(Sources, know_the_rows_of_a_batch) {
  for (const Layout& layout : {encoder_layout, decoder_layout}) {
    const auto source = classified(layout);
    for (Index i = 0; i < source->size(); ++i) {
      const Batch batch = pack(*source, {i});
      EXPECT_EQ(source->lengths(i).input, batch.input.rows());
      EXPECT_EQ(source->lengths(i).context, batch.context.rows());
      EXPECT_EQ(source->at(i).predicted, batch.labels.count());
    }
  }
}

TEST(Sources, of_parts_number_what_they_have_anew_and_are_as_long_as_their_longest) {
  const auto whole = pair_source(Examples{{{3}, {4}}, {{5}, {6}}, {{7}, {8}}}, {});
  const Batch batch = pack(*one_after_another({part_of(whole, {2, 0}), whole}), {0, 1, 3});
  EXPECT_THAT(batch.context.ids, ElementsAre(7, end_id, 3, end_id, 5, end_id));
  EXPECT_THAT(batch.examples, ElementsAre(0, 1, 3));
  EXPECT_EQ(part_of(whole, {1})->positions(), 0);
  const auto text =
      std::make_shared<const TokenText>(text_of_documents({{10, 11, 12, 13, 14}}, 20));
  const auto windows = window_source(text, evaluation_windows(*text, {.context = 4}, 4));
  EXPECT_EQ(windows->positions(), 4);
  EXPECT_EQ(part_of(windows, {1})->positions(), 2);
}

// Two documents of four and six tokens with end marks, in windows of four tokens.
TEST(EncoderBatches, hide_some_tokens_of_a_window_and_ask_for_them) {
  const auto text = std::make_shared<const TokenText>(
      text_of_documents({{10, 11, 12}, {13, 14, 15, 16, 17}}, 20));
  const WindowList windows = evaluation_windows(*text, {.context = 4}, 4);
  const auto source = masked_source(
      text, windows, {.share = 0.5, .mask = 20, .words = nullptr, .draws = Draws(3, "masking", 0)});
  for (Index window = 0; window < source->size(); ++window) {
    const Batch batch = pack(*source, {window});
    const Window place = windows[window];
    ASSERT_EQ(batch.input.rows(), place.rows + 1);
    EXPECT_EQ(batch.input.ids.front(), begin_id);
    EXPECT_EQ(source->lengths(window).input, batch.input.rows());
    std::size_t label = 0;
    for (Index row = 1; row < batch.input.rows(); ++row) {
      const TokenId own = (*text)[place.first + row - 1];
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

// A source of three tokens (rows 0 to 2), the begin mark (row 3), target token t in row 4 + t.
TEST(Relations, of_one_sequence_are_all_in_its_rows) {
  const Relations relations{
      {.name = "previous", .side = RelationSide::source, .pairs = {{1, 0}, {3, 2}}},
      {.name = "answer", .side = RelationSide::across, .pairs = {{0, 3}, {1, 2}}},
      {.name = "written", .side = RelationSide::target, .pairs = {{2, 1}}}};
  EXPECT_THAT(in_one_sequence(relations, 3, 0),
              ElementsAre(Relation{"previous", RelationSide::target, {{1, 0}, {3, 2}}},
                          Relation{"answer", RelationSide::target, {{3, 3}, {4, 2}}},
                          Relation{"written", RelationSide::target, {{5, 4}}}));
  const Relations next{
      {.name = "next", .side = RelationSide::source, .pairs = {{0, 1}, {1, 2}, {2, 3}}}};
  EXPECT_THAT(in_one_sequence(next, 3, 0).front().pairs, IsEmpty()) << "no key is ahead";
  EXPECT_THAT(in_one_sequence(next, 3, 3).front().pairs,
              ElementsAre(PositionPair{0, 1}, PositionPair{1, 2}))
      << "except in a prefix";
  EXPECT_EQ(pair_source(Examples(1), {})->relations(0), Relations{}) << "of a task without any";
}

}}  // namespace tapehead
