// The report of `plan` for a rehearsal made by hand, and what it says about weight decay compared
// with counts made by hand.
#include "train/plan/plan_report.hpp"

#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// The time of n steps divided by the time of one may round to less than n.
TEST(PlanReport, names_minutes_only_where_they_end_the_training) {
  Config config;
  config.training.shards = 4;
  Rehearsal rehearsal;
  const auto table_of = [&](Index steps, Index threads) {
    return plan_table({.config = "a.yaml",
                       .options = config,
                       .run = {.steps_per_epoch = 64, .total_steps = steps},
                       .threads = threads,
                       .rehearsal = rehearsal});
  };
  for (int k = 0; k < 300; ++k) {
    rehearsal.seconds_per_step = 0.00677 + 1e-5 * k;
    EXPECT_THAT(table_of(12, 2), AllOf(HasSubstr("  12 steps, 0."), Not(HasSubstr("minutes"))))
        << rehearsal.seconds_per_step;
    config.training.minutes = 1;
    EXPECT_THAT(table_of(12, 2), Not(HasSubstr("minutes")));
    config.training.minutes = 11.9 * rehearsal.seconds_per_step / 60;
    EXPECT_THAT(table_of(12, 2),
                HasSubstr("about 12 of 12 steps, until training.minutes ends it after 0."));
    EXPECT_THAT(table_of(0, 2), HasSubstr("about 12 steps, until "));
    config.training.minutes.reset();
  }
  // One is counted in the singular.
  rehearsal.seconds_per_step = 0.01;
  rehearsal.timed_steps = 1;
  EXPECT_THAT(table_of(1, 1), AllOf(HasSubstr("10 ms by 1 thread, "), HasSubstr("(1 step timed)"),
                                    HasSubstr("  1 step, 0.01 s without evaluations")));
}

// d_model 6, 2 heads of 5 columns, d_ff 11, one layer per stack, 9 entries. Weights: three
// attentions with 3 (10, 6) and (6, 10), two feed-forward blocks with (11, 6) and (6, 11), the
// output layer (9, 6). Embeddings: two of (9, 6). Gains: seven norms, five before blocks and two
// final. Biases: three attentions with 3 x 10 and 6, two blocks with 11 and 6, and the norms'
// biases.
constexpr Index weights = 3 * 4 * 60 + 2 * 2 * 66 + 54;
constexpr Index embeddings = 2 * 54;
constexpr Index gains = 7 * 6;
constexpr Index biases = 3 * 36 + 2 * 17 + 7 * 6;

std::string text_of(const ModelOptions& model, TrainingOptions options) {
  options.weight_decay = 0.1;
  return decay_text(TinyModel(model).store, options);
}

TEST(DecayGroups, name_what_decays_and_what_does_not) {
  EXPECT_EQ(text_of(tiny_options(), {}),
            fmt::format("0.1 on {} weights, {} embeddings, {} gains, {} biases", weights,
                        embeddings, gains, biases));
  EXPECT_EQ(text_of(tiny_options(), {.decay_gains = false, .decay_biases = false}),
            fmt::format("0.1 on {} weights, {} embeddings; not on {} gains, {} biases", weights,
                        embeddings, gains, biases));
  EXPECT_EQ(text_of(tiny_options(), {.decay_embeddings = false}),
            fmt::format("0.1 on {} weights, {} gains, {} biases; not on {} embeddings", weights,
                        gains, biases, embeddings));
}

// Relative positions add tables for keys and values: (2 clip + 1, 5) in the encoder, (clip + 1, 5)
// in the decoder. Learned positions add a table (16, 6) per side, l0 one gate per head. A tied
// output layer counts as embedding.
TEST(DecayGroups, count_what_attention_adds) {
  ModelOptions model = tiny_options();
  model.positions = PositionKind::learned;
  model.tie_embeddings = Tying::target_output;
  model.encoder_self.positions.values = {AttentionPositions::relative};
  model.encoder_self.clip.values = {2};
  model.decoder_self.positions.values = {AttentionPositions::relative_keys};
  model.decoder_self.clip.values = {3};
  model.cross.gates.values = {HeadGating::l0};
  const Index tables = 2 * 5 * 5 + 4 * 5 + 2 * 16 * 6;
  EXPECT_EQ(text_of(model, {}),
            fmt::format("0.1 on {} weights, {} embeddings, {} gains, {} biases, 2 gates",
                        weights - 54, embeddings + tables, gains, biases));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
