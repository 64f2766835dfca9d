// The trainer: bit-identical for any threads, and unchanged by values that are not finite.
#include "train/step/trainer.hpp"

#include <atomic>

#include "core/memory/pool.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

ModelOptions model_options() {
  ModelOptions options = tiny_options();
  options.d_model = 16;
  options.d_head = 8;
  options.d_ff = 32;
  return options;
}

Trainer::Options trainer_options(Index shards, std::uint64_t seed = 1) {
  Trainer::Options options;
  options.training.shards = shards;
  options.training.learning_rate = 5e-3;
  options.training.schedule = ScheduleKind::constant;
  options.seed = seed;
  return options;
}

std::vector<Scalar> trained(const Trainer::Options& options, Index threads) {
  TinyTrainer training(model_options(), options, threads);
  for (std::uint64_t step = 0; step < 4; ++step) {
    training.step({copy_batch(2 * step), copy_batch(2 * step + 1)});
  }
  return training.weights();
}

TEST(Trainer, gives_the_same_bits_for_the_same_seed_on_any_number_of_threads) {
  std::vector<Trainer::Options> all{trainer_options(1), trainer_options(2), trainer_options(5),
                                    trainer_options(2), trainer_options(2)};
  all[3].training.optimizer = OptimizerKind::muon;
  all[4].training.precision = Precision::bfloat16;
  for (const Trainer::Options& options : all) {
    const std::vector<Scalar> expected = trained(options, 1);
    for (const Index threads : {1, 2, 3}) {
      EXPECT_EQ(trained(options, threads), expected)
          << PrintToString(options.training.shards) << " shards, " << threads << " threads";
    }
  }
  EXPECT_NE(trained(trainer_options(2, 2), 1), trained(all[1], 1));
  EXPECT_NE(trained(all[4], 1), trained(all[1], 1)) << "nothing was rounded";
}

// The loss is divided by the number of labels.
TEST(Trainer, refuses_a_step_without_labels) {
  TinyTrainer training(model_options(), trainer_options(2));
  const std::vector<Scalar> before = training.weights();
  Batch batch = copy_batch(1);
  batch.labels = {.every_row = false};
  EXPECT_THAT([&] { training.step({batch}); },
              ThrowsMessage<ShapeError>(HasSubstr("the batches have no label")));
  EXPECT_EQ(training.weights(), before);
}

// The mean is over labels, even if few rows have one.
TEST(Trainer, gives_the_mean_over_labels) {
  Batch few = copy_batch(1);
  few.labels.every_row = false;
  few.labels.rows = {1, 4};
  few.labels.ids = {few.labels.ids[1], few.labels.ids[4]};
  ModelOptions options = model_options();
  options.dropout = 0;
  TinyTrainer training(options, trainer_options(3));
  Tape tape(false);
  Pass pass(tape, training.model.store);
  const double expected =
      batch_loss(training.model.transformer, pass, few).negative_log_likelihood / 2;
  const StepStats stats = training.step({few});
  EXPECT_EQ(stats.tokens, 2);
  EXPECT_NEAR(stats.negative_log_likelihood, expected, 1e-5);
}

// The learning rate is adamw's best of 3e-3, 1e-2 and 3e-2, with a loss of 0.90. Muon has its
// default rate and a loss of 0.81. Knowing only which tokens exist gives about ln 7 = 1.95.
TEST(Trainer, learns_and_learns_faster_with_muon) {
  const auto loss_after = [](OptimizerKind optimizer) {
    Trainer::Options options = trainer_options(2);
    options.training.optimizer = optimizer;
    options.training.learning_rate = 1e-2;
    TinyTrainer training(model_options(), options);
    double sum = 0;
    for (std::uint64_t step = 0; step < 150; ++step) {
      const StepStats stats = training.step({copy_batch(step)});
      EXPECT_TRUE(step > 0 || stats.negative_log_likelihood > 2);
      sum += step < 140 ? 0 : stats.negative_log_likelihood / 10;
    }
    EXPECT_EQ(training.trainer.steps(), 150);
    return sum;
  };
  const double adamw = loss_after(OptimizerKind::adamw);
  EXPECT_LT(adamw, 1.2);
  EXPECT_LT(loss_after(OptimizerKind::muon), adamw);
}

TEST(Trainer, tells_the_learning_rate_of_the_step_it_took) {
  Trainer::Options options = trainer_options(1);
  options.training.warmup = 4;
  TinyTrainer training(model_options(), options);
  EXPECT_DOUBLE_EQ(training.step({copy_batch(1)}).learning_rate, 5e-3 / 4);
  EXPECT_DOUBLE_EQ(training.step({copy_batch(2)}).learning_rate, 5e-3 / 2);
}

Scalar& planted_weight(TinyTrainer& training) {
  return values_of(training.model.store, "encoder.layers.0.self.output.weight").data()[3];
}

// With checks off, as in normal use, only the loss is checked.
class TrainerRefuses : public TestWithParam<bool> {
 protected:
  void SetUp() override { checks().finite = GetParam(); }
  void TearDown() override { checks().finite = true; }
};

INSTANTIATE_TEST_SUITE_P(Checks, TrainerRefuses, Bool(),
                         [](const auto& test) { return test.param ? "on" : "off"; });

TEST_P(TrainerRefuses, a_loss_that_is_not_finite) {
  TinyTrainer training(model_options(), trainer_options(2), 2);
  training.step({copy_batch(1)});
  Scalar& planted = planted_weight(training);
  const Scalar kept = planted;
  const std::vector<Scalar> before = training.weights();
  planted = std::numeric_limits<Scalar>::quiet_NaN();
  EXPECT_THAT([&] { training.step({copy_batch(2)}); },
              ThrowsMessage<NumericError>(HasSubstr(GetParam() ? "linear" : "the loss is")));
  EXPECT_EQ(training.trainer.steps(), 1);
  planted = kept;
  EXPECT_EQ(training.weights(), before);

  // No state remains: the next step is the same as without the failed step.
  training.step({copy_batch(2)});
  TinyTrainer other(model_options(), trainer_options(2), 2);
  other.step({copy_batch(1)});
  other.step({copy_batch(2)});
  EXPECT_EQ(training.weights(), other.weights());
}

// A finite weight so large that products with it overflow; rounded to bfloat16 it is infinite.
class TrainerExplains : public TestWithParam<Precision> {
 protected:
  TrainerExplains() : training_(model_options(), options(), 2) {
    planted_weight(training_) = std::numeric_limits<Scalar>::max();
    checks().finite = false;
  }
  ~TrainerExplains() override { checks().finite = true; }

  static Trainer::Options options() {
    Trainer::Options options = trainer_options(2);
    options.training.precision = GetParam();
    return options;
  }

  TinyTrainer training_;
};

INSTANTIATE_TEST_SUITE_P(Precisions, TrainerExplains,
                         Values(Precision::float32, Precision::bfloat16));

TEST_P(TrainerExplains, in_which_op_an_infinity_first_came) {
  EXPECT_THAT([&] { training_.step({copy_batch(1)}); },
              ThrowsMessage<NumericError>(
                  HasSubstr("first seen in linear in encoder.layers.0.self.output")));
  EXPECT_FALSE(checks().finite) << "the look at every value ends with the step";
  // The checks do not stay on if the second look fails.
  std::atomic<int> calls = 0;
  const LossFunction loss = [&](Pass& pass, const Batch& batch) {
    if (checks().finite) {
      throw IoError("the disk is full");
    }
    ++calls;
    return training_.loss(pass, batch);
  };
  EXPECT_THROW(training_.trainer.step({copy_batch(1)}, loss), IoError);
  EXPECT_EQ(calls, 2) << "one for each shard, before the second look";
  EXPECT_FALSE(checks().finite);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
