// Generation with a memory: the model forgets its oldest rows without rereading the rest, and gives
// each token the same probability as reading in windows with a memory.
#include "nn/generation/generation.hpp"
#include "tests/support/generation_cases.hpp"
#include "tests/support/lanes.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index memory_rows = 6;
constexpr Index window_rows_each = 3;  // divides memory_rows, so that the windows line up

const std::vector<Sentence> beginnings{{3, 4}, {5}, {8, 7, 6, 5, 4}};

Prompts prompts_of_streams() {
  Prompts all;
  for (const Sentence& tokens : beginnings) {
    all.context.segments.list.push_back({});
    all.input.segments.list.push_back({.row = all.input.rows(), .rows = std::ssize(tokens)});
    all.input.ids.insert(all.input.ids.end(), tokens.begin(), tokens.end());
  }
  return all;
}

// The log-probability of the tokens after the first `given`, read in windows of one lane.
double log_probability_in_windows(const LaneModel& model, const Sentence& tokens, Index given) {
  LaneMemory memory = model.memory(1, memory_rows);
  double sum = 0;
  for (Index first = 0; first + 1 < std::ssize(tokens); first += window_rows_each) {
    const Index end = std::min(first + window_rows_each, std::ssize(tokens) - 1);
    Batch batch;
    batch.examples = {0};
    batch.context.segments.list.push_back({});
    batch.input.segments.list.push_back({.row = 0, .rows = end - first, .position = first});
    batch.input.lanes = {0};
    batch.input.ids.assign(tokens.begin() + first, tokens.begin() + end);
    batch.labels.ids.assign(tokens.begin() + first + 1, tokens.begin() + end + 1);
    Tape tape(false);
    Pass pass(tape, model.store);
    pass.memory = &memory;
    const CrossEntropy result = batch_loss(model.transformer, pass, batch);
    for (Index i = std::max(first, given - 1); i < end; ++i) {
      sum -= result.by_row[static_cast<std::size_t>(i - first)];
    }
    memory.commit();
  }
  return sum;
}

class Remembered : public TestWithParam<GenerationScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, Remembered, ValuesIn(generation_schemes()));

TEST_P(Remembered, tokens_have_the_probabilities_of_windows_with_a_memory) {
  ModelOptions options = decoder_options(GetParam());
  options.positions = PositionKind::none;
  options.token_types = 0;
  options.dropout = 0;
  const LaneModel model(options);
  const auto generated = generate_batch(model.transformer, model.store, prompts_of_streams(),
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
