#include "train/plan/run_plan.hpp"

#include "tests/support/testing.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { namespace {

// At step s of n without warmup, `linear` has the rate learning_rate (n - s) / n, and `cosine` has
// learning_rate (1 + cos(π s / n)) / 2.
TEST(ZeroRate, is_told_of_the_step_that_has_it) {
  struct Case {
    ScheduleKind schedule;
    Index warmup;
    Index steps;
    double end;
    std::string text;
  };
  for (const Case& c : std::vector<Case>{
           {ScheduleKind::linear, 0, 4, 0,
            "0 in step 4, the last, which changes no weights (training.learning_rate_end: 0); at "
            "most "
            "75 % of training.learning_rate, in step 1, since there is no warmup"},
           {ScheduleKind::cosine, 3, 9, 0,
            "0 in step 9, the last, which changes no weights (training.learning_rate_end: 0)"},
           {ScheduleKind::cosine, 3, 99, 0,
            "0 in step 99, the last, which changes no weights (training.learning_rate_end: 0)"},
           {ScheduleKind::linear, 0, 1, 0, "0 in all of 1 step: no weight changes"},
           {ScheduleKind::cosine, 0, 1, 0, "0 in all of 1 step: no weight changes"},
           {ScheduleKind::linear, 0, 4, 1e-6, ""},
           {ScheduleKind::constant, 0, 4, 0, ""},
           {ScheduleKind::inverse_sqrt, 2, 4, 0, ""},
           {ScheduleKind::noam, 2, 4, 0, ""},
           {ScheduleKind::inverse_sqrt, 0, 0, 0, ""}}) {  // has no last step
    Config config;
    config.training.schedule = c.schedule;
    config.training.warmup = c.warmup;
    config.training.learning_rate = 0.02;
    config.training.learning_rate_end = c.end;
    EXPECT_EQ(zero_rate_text(config, {.steps_per_epoch = 2, .total_steps = c.steps}), c.text);
    for (Index step = 1; step <= c.steps; ++step) {
      const bool zero = learning_rate_at(config.training, 8, step, c.steps) == 0;
      EXPECT_EQ(zero, !c.text.empty() && step == c.steps) << c.text << ", step " << step;
    }
  }
}

TEST(ZeroRate, is_not_told_of_one_step_of_many) {
  Config config;
  config.training.schedule = ScheduleKind::cosine;
  config.training.warmup = 3;
  EXPECT_EQ(zero_rate_text(config, {.steps_per_epoch = 2, .total_steps = 100}), "");
}

}}  // namespace tapehead
