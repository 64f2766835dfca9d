// Gates in training: a penalty closes them, and reported losses do not include it.
#include "train/model_training.hpp"

#include "tests/support/testing.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

ModelOptions gated_options() {
  ModelOptions options = tiny_options();
  options.attention.gates.values = {HeadGating::l0};
  return options;
}

Trainer::Options penalised_options(double penalty) {
  Trainer::Options options;
  options.training.learning_rate = 0.02;
  options.training.schedule = ScheduleKind::constant;
  options.training.gate_penalty = penalty;
  options.training.gate_rate = 1;
  return options;
}

// How many of six heads have a settled gate of 0 after training on the copy task.
Index closed_after_training(double penalty) {
  TinyTrainer training(gated_options(), penalised_options(penalty));
  for (std::uint64_t step = 0; step < 400; ++step) {
    training.step({copy_batch(step)});
  }
  Index closed = 0;
  for (const NamedParameter& parameter : training.model.store.parameters()) {
    if (parameter.name.ends_with(".gates")) {
      for (const Scalar log_alpha : training.model.store.value(parameter).values()) {
        closed += log_alpha <= -2.3979F ? 1 : 0;  // log 11: Louizos et al. 2018, equation 13
      }
    }
  }
  return closed;
}

TEST(GatePenalty, closes_heads) { EXPECT_EQ(closed_after_training(30), 6); }

TEST(GatePenalty, of_nothing_closes_none) { EXPECT_EQ(closed_after_training(0), 0); }

// Adam's first step equals the learning rate for any gradient.
TEST(GateRate, is_times_the_learning_rate) {
  Trainer::Options options = penalised_options(0.5);
  options.training.gate_rate = 10;
  TinyTrainer training(gated_options(), options);
  const std::vector<Scalar> before = training.weights();
  training.step({copy_batch(1)});
  for (const NamedParameter& parameter : training.model.store.parameters()) {
    const auto at = static_cast<std::size_t>(parameter.offset);
    const double moved = std::abs(training.weights()[at] - before[at]);
    if (parameter.name.ends_with(".gates")) {
      EXPECT_NEAR(moved, 10 * 0.02, 1e-3) << parameter.name;
    } else {
      EXPECT_LT(moved, 0.0201) << parameter.name;
    }
  }
}

TEST(GatePenalty, is_no_part_of_the_loss) {
  TinyTrainer with(gated_options(), penalised_options(0.5));
  TinyTrainer without(gated_options(), penalised_options(0));
  const double open = OpenHeads(with.model.transformer).expected(with.model.store);
  EXPECT_GT(open, 5);
  const StepStats stats = with.step({copy_batch(1), copy_batch(2)});
  const StepStats plain = without.step({copy_batch(1), copy_batch(2)});
  EXPECT_EQ(stats.loss, plain.loss);
  EXPECT_EQ(stats.negative_log_likelihood, plain.negative_log_likelihood);
  EXPECT_NEAR(stats.penalty, 0.5 * open, 1e-5);
  EXPECT_EQ(plain.penalty, 0);
  EXPECT_NE(stats.gradient_norm, plain.gradient_norm);
}

TEST(GatePenalty, needs_gates_and_a_weight) {
  EXPECT_FALSE(gate_penalty(TinyModel(tiny_options()).transformer, 1));
  EXPECT_FALSE(gate_penalty(TinyModel(gated_options()).transformer, 0));
  EXPECT_TRUE(gate_penalty(TinyModel(gated_options()).transformer, 1));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
