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

Prompts prompts_of(const std::vector<Sentence>& beginnings) {
  Prompts all;
  for (const Sentence& tokens : beginnings) {
    all.context.segments.list.push_back({});
    all.input.segments.list.push_back({.row = all.input.rows(), .rows = std::ssize(tokens)});
    all.input.ids.insert(all.input.ids.end(), tokens.begin(), tokens.end());
  }
  return all;
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

std::vector<double> losses_of(const LaneModel& model, const Batch& batch,
                              LaneMemory* memory = nullptr) {
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.memory = memory;
  const auto by_row = batch_loss(model.transformer, pass, batch).by_row;
  return {by_row.begin(), by_row.end()};
}

class SinkWindow : public TestWithParam<AttentionPositions> {};

INSTANTIATE_TEST_SUITE_P(Positions, SinkWindow,
                         Values(AttentionPositions::none, AttentionPositions::rotary));

// Holds for one layer: there, the visible rows have not themselves seen other rows.
TEST_P(SinkWindow, sees_the_first_tokens_and_the_window_as_one_text) {
  const LaneModel with_sinks(sink_options(GetParam(), "sink_window 2 3", 1));
  const LaneModel full(sink_options(GetParam(), "full", 1));
  const std::vector<double> losses = losses_of(with_sinks, text_batch(long_text));
  for (Index row = 0; row + 1 < std::ssize(long_text); ++row) {
    // The sink tokens, the window up to the row, and the token to predict.
    Sentence seen(long_text.begin(), long_text.begin() + sink_rows);
    seen.insert(seen.end(), long_text.begin() + std::max(sink_rows, row - window_before),
                long_text.begin() + row + 2);
    EXPECT_NEAR(losses[static_cast<std::size_t>(row)], losses_of(full, text_batch(seen)).back(),
                1e-12)
        << "row " << row;
  }
}

TEST_P(SinkWindow, gives_generated_tokens_their_probabilities_beyond_the_context) {
  const LaneModel model(sink_options(GetParam(), "sink_window 2 3", 2));
  const auto seen = model.transformer.main().seen_rows();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->sinks, sink_rows);
  EXPECT_EQ(seen->window, window_before);
  const Sentence beginning(long_text.begin(), long_text.begin() + 3);
  const auto generated = generate_batch(model.transformer, model.store, prompts_of({beginning}),
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
    Sentence text = beginning;
    text.insert(text.end(), sample.tokens.begin(), sample.tokens.end());
    const std::vector<double> losses = losses_of(model, text_batch(text));
    EXPECT_NEAR(sample.log_probability, -std::accumulate(losses.begin() + 2, losses.end(), 0.0),
                1e-10);
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

// With a memory the model forgets its oldest rows without rereading the rest, and gives each token
// the same probability as reading in windows with a memory.
constexpr Index memory_rows = 6;
constexpr Index window_rows_each = 3;  // divides memory_rows, so that the windows line up

const std::vector<Sentence> beginnings{{3, 4}, {5}, {8, 7, 6, 5, 4}};

// The log-probability of the tokens after the first `given`, read in windows of one lane.
double log_probability_in_windows(const LaneModel& model, const Sentence& tokens, Index given) {
  LaneMemory memory = model.memory(1, memory_rows);
  double sum = 0;
  for (Index first = 0; first + 1 < std::ssize(tokens); first += window_rows_each) {
    const Index end = std::min(first + window_rows_each, std::ssize(tokens) - 1);
    Batch batch = text_batch({tokens.begin() + first, tokens.begin() + end + 1});
    batch.input.segments.list[0].position = first;
    batch.input.lanes = {0};
    const std::vector<double> losses = losses_of(model, batch, &memory);
    for (Index i = std::max(first, given - 1); i < end; ++i) {
      sum -= losses[static_cast<std::size_t>(i - first)];
    }
    memory.commit();
  }
  return sum;
}

TEST(Remembered, tokens_have_the_probabilities_of_windows_with_a_memory) {
  for (const GenerationScheme& scheme : generation_schemes()) {
    SCOPED_TRACE(scheme);
    ModelOptions options = decoder_options(scheme);
    options.positions = PositionKind::none;
    options.token_types = 0;
    options.dropout = 0;
    const LaneModel model(options);
    const auto generated = generate_batch(model.transformer, model.store, prompts_of(beginnings),
                                          {.samples = 2,
                                           .max_tokens = 29,
                                           .context = memory_rows + window_rows_each,
                                           .remembered = memory_rows,
                                           .seed = 3,
                                           .never = {},
                                           .end = -1});
    for (std::size_t i = 0; i < beginnings.size(); ++i) {
      for (const Generated& sample : generated[i]) {
        EXPECT_TRUE(sample.slid);
        EXPECT_EQ(sample.tokens.size(), 29U);
        Sentence tokens = beginnings[i];
        tokens.insert(tokens.end(), sample.tokens.begin(), sample.tokens.end());
        EXPECT_NEAR(sample.log_probability,
                    log_probability_in_windows(model, tokens, std::ssize(beginnings[i])), 1e-10);
      }
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
