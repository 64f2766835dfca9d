// Models whose queries see the first tokens (sinks) and a window (Xiao et al. 2023). A query sees
// them as if there were no tokens in between, and a cache with only these rows generates texts of
// any length.
#include "nn/generation/generation.hpp"
#include "tests/support/generation_cases.hpp"
#include "tests/support/lanes.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index sink_rows = 2;
constexpr Index window_before = 3;
const Sentence long_text{3, 8, 5, 4, 4, 7, 6, 8, 3, 5, 7, 4, 6, 6, 3, 8};

ModelOptions sink_options(AttentionPositions positions, const char* pattern, Index layers) {
  ModelOptions options = lane_options(positions);
  options.layers = layers;
  options.decoder_layers = layers;
  options.attention.pattern.values = {{{AttentionPattern(pattern)}}};
  return options;
}

Batch text_batch(const Sentence& tokens) {
  Batch batch;
  batch.examples = {0};
  batch.context.segments.list.push_back({});
  batch.input.segments.list.push_back({.row = 0, .rows = std::ssize(tokens) - 1});
  batch.input.ids.assign(tokens.begin(), tokens.end() - 1);
  batch.labels.ids.assign(tokens.begin() + 1, tokens.end());
  return batch;
}

std::vector<double> losses_of(const LaneModel& model, const Sentence& tokens) {
  Tape tape(false);
  Pass pass(tape, model.store);
  const auto by_row = batch_loss(model.transformer, pass, text_batch(tokens)).by_row;
  return {by_row.begin(), by_row.end()};
}

// The sink tokens, the window up to a row, and the token to predict.
Sentence seen_from(const Sentence& text, Index row) {
  Sentence seen;
  for (Index i = 0; i <= row + 1; ++i) {
    if (i < sink_rows || i >= row - window_before) {
      seen.push_back(text[static_cast<std::size_t>(i)]);
    }
  }
  return seen;
}

class SinkWindow : public TestWithParam<AttentionPositions> {};

INSTANTIATE_TEST_SUITE_P(Positions, SinkWindow,
                         Values(AttentionPositions::none, AttentionPositions::rotary));

// Holds for one layer: there, the visible rows have not themselves seen other rows.
TEST_P(SinkWindow, sees_the_first_tokens_and_the_window_as_one_text) {
  const LaneModel with_sinks(sink_options(GetParam(), "sink_window 2 3", 1));
  const LaneModel full(sink_options(GetParam(), "full", 1));
  const std::vector<double> losses = losses_of(with_sinks, long_text);
  for (Index row = 0; row + 1 < std::ssize(long_text); ++row) {
    EXPECT_NEAR(losses[static_cast<std::size_t>(row)],
                losses_of(full, seen_from(long_text, row)).back(), 1e-12)
        << "row " << row;
  }
}

TEST_P(SinkWindow, gives_generated_tokens_their_probabilities_beyond_the_context) {
  const LaneModel model(sink_options(GetParam(), "sink_window 2 3", 2));
  const auto seen = model.transformer.main().seen_rows();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->sinks, sink_rows);
  EXPECT_EQ(seen->window, window_before);
  Prompts beginning;
  beginning.context.segments.list.push_back({});
  beginning.input.segments.list.push_back({.row = 0, .rows = 3});
  beginning.input.ids.assign(long_text.begin(), long_text.begin() + 3);
  const auto generated = generate_batch(model.transformer, model.store, beginning,
                                        {.samples = 2,
                                         .max_tokens = 29,
                                         .context = 7,
                                         .remembered = seen->window,
                                         .sinks = seen->sinks,
                                         .seed = 3,
                                         .never = {},
                                         .end = -1});
  for (const Generated& sample : generated.front()) {
    EXPECT_TRUE(sample.slid);
    Sentence text(long_text.begin(), long_text.begin() + 3);
    text.insert(text.end(), sample.tokens.begin(), sample.tokens.end());
    const std::vector<double> losses = losses_of(model, text);
    double sum = 0;
    for (const double loss : std::span(losses).subspan(2)) {
      sum += loss;
    }
    EXPECT_NEAR(sample.log_probability, -sum, 1e-10);
  }
}

TEST(SeenRows, are_all_rows_where_positions_or_patterns_say_so) {
  const auto seen = [](const ModelOptions& options) {
    return LaneModel(options).transformer.main().seen_rows().has_value();
  };
  EXPECT_FALSE(seen(sink_options(AttentionPositions::rotary, "window 3 0", 2)));
  EXPECT_FALSE(seen(sink_options(AttentionPositions::alibi, "sink_window 2 3", 2)));
  ModelOptions learned = sink_options(AttentionPositions::none, "sink_window 2 3", 2);
  learned.positions = PositionKind::learned;
  EXPECT_FALSE(seen(learned));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
