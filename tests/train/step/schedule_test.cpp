// The schedules at points computed by hand from the formulas in the header.
#include "tests/support/testing.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { namespace {

TrainingOptions options(ScheduleKind schedule, Index warmup) {
  TrainingOptions result;
  result.schedule = schedule;
  result.learning_rate = 0.8;
  result.warmup = warmup;
  return result;
}

TEST(Schedule, warms_up_in_equal_steps) {
  for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::linear,
                                  ScheduleKind::cosine, ScheduleKind::inverse_sqrt}) {
    EXPECT_DOUBLE_EQ(learning_rate_at(options(kind, 4), 64, 1, 20), 0.2);
    EXPECT_DOUBLE_EQ(learning_rate_at(options(kind, 4), 64, 3, 20), 0.6);
    EXPECT_DOUBLE_EQ(learning_rate_at(options(kind, 4), 64, 4, 20), 0.8);
  }
}

TEST(Schedule, constant_stays) {
  EXPECT_DOUBLE_EQ(learning_rate_at(options(ScheduleKind::constant, 4), 64, 5, 20), 0.8);
  EXPECT_DOUBLE_EQ(learning_rate_at(options(ScheduleKind::constant, 0), 64, 1, 0), 0.8);
}

// 16 steps from the end of warmup to 0.
TEST(Schedule, linear_falls_to_zero) {
  const TrainingOptions linear = options(ScheduleKind::linear, 4);
  EXPECT_DOUBLE_EQ(learning_rate_at(linear, 64, 8, 20), 0.8 * 12 / 16);
  EXPECT_DOUBLE_EQ(learning_rate_at(linear, 64, 19, 20), 0.8 / 16);
  EXPECT_DOUBLE_EQ(learning_rate_at(linear, 64, 20, 20), 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(linear, 64, 25, 20), 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(options(ScheduleKind::linear, 0), 64, 5, 20), 0.6);
}

// Half-way, both schedules are half-way down; after a quarter, cosine is at (1 + cos(π/4)) / 2.
TEST(Schedule, linear_and_cosine_fall_to_the_rate_they_are_given) {
  for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::cosine}) {
    TrainingOptions falling = options(kind, 4);
    falling.learning_rate_end = 0.2;
    EXPECT_DOUBLE_EQ(learning_rate_at(falling, 64, 4, 20), 0.8);
    EXPECT_DOUBLE_EQ(learning_rate_at(falling, 64, 12, 20), 0.5);
    EXPECT_NEAR(learning_rate_at(falling, 64, 20, 20), 0.2, 1e-15);
    EXPECT_NEAR(learning_rate_at(falling, 64, 25, 20), 0.2, 1e-15);
  }
}

TEST(Schedule, cosine_falls_to_zero) {
  const TrainingOptions cosine = options(ScheduleKind::cosine, 4);
  EXPECT_DOUBLE_EQ(learning_rate_at(cosine, 64, 8, 20), 0.8 * (1 + std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(learning_rate_at(cosine, 64, 12, 20), 0.4);
  EXPECT_NEAR(learning_rate_at(cosine, 64, 20, 20), 0, 1e-15);
}

TEST(Schedule, inverse_sqrt_halves_in_four_times_the_steps) {
  const TrainingOptions warmed = options(ScheduleKind::inverse_sqrt, 4);
  EXPECT_DOUBLE_EQ(learning_rate_at(warmed, 64, 16, 0), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_at(warmed, 64, 64, 0), 0.2);
  const TrainingOptions cold = options(ScheduleKind::inverse_sqrt, 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(cold, 64, 1, 0), 0.8);
  EXPECT_DOUBLE_EQ(learning_rate_at(cold, 64, 16, 0), 0.2);
}

// The factor for d_model 64 is 1 / 8. With warmup 4, a second factor rises as step / 8 to 1 / 2 at
// step 4.
TEST(Schedule, noam_follows_vaswani_equation3) {
  const TrainingOptions noam = options(ScheduleKind::noam, 4);
  EXPECT_DOUBLE_EQ(learning_rate_at(noam, 64, 1, 0), 0.1 / 8);
  EXPECT_DOUBLE_EQ(learning_rate_at(noam, 64, 2, 0), 0.1 * 2 / 8);
  EXPECT_DOUBLE_EQ(learning_rate_at(noam, 64, 4, 0), 0.1 / 2);
  EXPECT_DOUBLE_EQ(learning_rate_at(noam, 64, 16, 0), 0.1 / 4);
  EXPECT_DOUBLE_EQ(learning_rate_at(options(ScheduleKind::noam, 0), 64, 4, 0), 0.1 / 2);
}

}}  // namespace tapehead
