// The report of `plan` for a rehearsal made by hand.
#include "tests/support/testing.hpp"
#include "train/plan/plan_report.hpp"

namespace tapehead { namespace {

std::string table_of(const Config& config, const Rehearsal& rehearsal, Index steps, Index threads) {
  return plan_table({.config = "a.yaml",
                     .options = config,
                     .run = {.steps_per_epoch = 64, .total_steps = steps},
                     .threads = threads,
                     .rehearsal = rehearsal});
}

// The time of n steps divided by the time of one may round to less than n.
TEST(PlanReport, names_minutes_only_where_they_end_the_training) {
  Config config;
  config.training.shards = 4;
  for (int k = 0; k < 300; ++k) {
    Rehearsal rehearsal;
    rehearsal.seconds_per_step = 0.00677 + 1e-5 * k;
    EXPECT_THAT(table_of(config, rehearsal, 12, 2),
                AllOf(HasSubstr("  12 steps, 0."), Not(HasSubstr("minutes"))))
        << rehearsal.seconds_per_step;
    config.training.minutes = 1;
    EXPECT_THAT(table_of(config, rehearsal, 12, 2), Not(HasSubstr("minutes")));
    config.training.minutes = 11.9 * rehearsal.seconds_per_step / 60;
    EXPECT_THAT(table_of(config, rehearsal, 12, 2),
                HasSubstr("about 12 of 12 steps, until training.minutes ends it after 0."));
    EXPECT_THAT(table_of(config, rehearsal, 0, 2), HasSubstr("about 12 steps, until "));
    config.training.minutes.reset();
  }
}

TEST(PlanReport, counts_one_in_the_singular) {
  Config config;
  config.training.shards = 4;
  Rehearsal rehearsal;
  rehearsal.seconds_per_step = 0.01;
  rehearsal.timed_steps = 1;
  EXPECT_THAT(table_of(config, rehearsal, 1, 1),
              AllOf(HasSubstr("10 ms by 1 thread, "), HasSubstr("(1 step timed)"),
                    HasSubstr("  1 step, 0.01 s without evaluations")));
}

}}  // namespace tapehead
