// The trainer: bit-identical for any threads, equal numbers however a step is cut, and unchanged by
// values that are not finite.
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

TEST(Trainer, gives_the_same_bits_for_the_same_seed) {
  const std::vector<Scalar> first = trained(trainer_options(2), 1);
  EXPECT_EQ(trained(trainer_options(2), 1), first);
  EXPECT_NE(trained(trainer_options(2, 2), 1), first);
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

TEST(Trainer, gives_the_same_bits_on_any_number_of_threads_with_muon) {
  Trainer::Options options = trainer_options(2);
  options.training.optimizer = OptimizerKind::muon;
  const std::vector<Scalar> one = trained(options, 1);
  EXPECT_EQ(trained(options, 2), one);
  EXPECT_EQ(trained(options, 3), one);
}

TEST(Trainer, gives_the_same_bits_on_any_number_of_threads) {
  for (const Index shards : {1, 2, 5}) {
    SCOPED_TRACE(shards);
    const std::vector<Scalar> one = trained(trainer_options(shards), 1);
    EXPECT_EQ(trained(trainer_options(shards), 2), one);
    EXPECT_EQ(trained(trainer_options(shards), 3), one);
  }
}

// One batch, two halves, or four shards of each half give the same gradient up to rounding.
// Compares weights after SGD, which does not amplify rounding errors as Adam's first step does.
TEST(Trainer, gives_one_gradient_however_a_step_is_cut) {
  const Batch first = copy_batch(1);
  const Batch second = copy_batch(2);
  std::vector<Sentence> sources;
  for (const Batch& half : {first, second}) {
    for (const Segment& segment : half.context.segments.list) {
      const auto begin = half.context.ids.begin() + segment.row;
      sources.emplace_back(begin, begin + segment.rows - 1);
    }
  }
  const Batch both = batch_of(sources, sources);
  const auto run = [](Index shards, const std::vector<Batch>& batches) {
    Trainer::Options options = trainer_options(shards);
    options.training.optimizer = OptimizerKind::sgd;
    options.training.learning_rate = 0.1;
    TinyTrainer training(model_options(), options);
    const StepStats stats = training.step(batches);
    return std::pair(stats, training.weights());
  };
  const auto [whole, weights] = run(1, {both});
  for (const Index shards : {1, 4}) {
    const auto [halves, other] = run(shards, {first, second});
    EXPECT_EQ(halves.tokens, whole.tokens);
    EXPECT_EQ(halves.correct, whole.correct);
    EXPECT_NEAR(halves.loss, whole.loss, 1e-5);
    EXPECT_NEAR(halves.negative_log_likelihood, whole.negative_log_likelihood, 1e-5);
    EXPECT_NEAR(halves.gradient_norm, whole.gradient_norm, 1e-5);
    EXPECT_THAT(other, Pointwise(FloatNear(1e-6F), weights));
  }
}

// The learning rate is adamw's best of 3e-3, 1e-2 and 3e-2, with a loss of 0.90. Muon has its
// default rate and a loss of 0.81.
TEST(Trainer, learns_faster_with_muon) {
  const auto loss_after = [](OptimizerKind optimizer) {
    Trainer::Options options = trainer_options(2);
    options.training.optimizer = optimizer;
    options.training.learning_rate = 1e-2;
    TinyTrainer training(model_options(), options);
    double sum = 0;
    for (std::uint64_t step = 0; step < 150; ++step) {
      const StepStats stats = training.step({copy_batch(step)});
      sum += step < 140 ? 0 : stats.negative_log_likelihood / 10;
    }
    return sum;
  };
  EXPECT_LT(loss_after(OptimizerKind::muon), loss_after(OptimizerKind::adamw));
}

// A model that knows only which tokens exist has a loss of about ln 7 = 1.95.
TEST(Trainer, learns) {
  Trainer::Options options = trainer_options(2);
  options.training.learning_rate = 2e-2;
  TinyTrainer training(model_options(), options);
  std::vector<double> losses;
  for (std::uint64_t step = 0; step < 30; ++step) {
    losses.push_back(training.step({copy_batch(step)}).negative_log_likelihood);
  }
  EXPECT_GT(losses.front(), 2.0);
  EXPECT_LT(losses.back(), 1.8);
  EXPECT_EQ(training.trainer.steps(), 30);
}

TEST(Trainer, tells_the_learning_rate_of_the_step_it_took) {
  Trainer::Options options = trainer_options(1);
  options.training.warmup = 4;
  TinyTrainer training(model_options(), options);
  EXPECT_DOUBLE_EQ(training.step({copy_batch(1)}).learning_rate, 5e-3 / 4);
  EXPECT_DOUBLE_EQ(training.step({copy_batch(2)}).learning_rate, 5e-3 / 2);
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
  const NamedParameter& parameter = training.model.store.parameters()[9];
  ASSERT_EQ(parameter.name, "encoder.layers.0.self.output.weight");
  Scalar& planted = training.model.store.value(parameter).data()[3];
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

// A finite weight so large that products with it overflow.
class TrainerExplains : public Test {
 protected:
  TrainerExplains() : training_(model_options(), trainer_options(2), 2) {
    const NamedParameter& parameter = training_.model.store.parameters()[9];
    EXPECT_EQ(parameter.name, "encoder.layers.0.self.output.weight");
    training_.model.store.value(parameter).data()[3] = std::numeric_limits<Scalar>::max();
    checks().finite = false;
  }
  ~TrainerExplains() override { checks().finite = true; }

  TinyTrainer training_;
};

TEST_F(TrainerExplains, in_which_op_an_infinity_first_came) {
  EXPECT_THAT([&] { training_.step({copy_batch(1)}); },
              ThrowsMessage<NumericError>(HasSubstr("first seen in linear")));
  EXPECT_FALSE(checks().finite) << "the look at every value ends with the step";
}

TEST_F(TrainerExplains, without_leaving_the_checks_on_when_it_fails) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(training_.trainer.step({copy_batch(1)},
                                      [&](Pass& pass, const Batch& batch) {
                                        if (checks().finite) {
                                          throw IoError("the disk is full");
                                        }
                                        ++calls;
                                        return batch_loss(training_.model.transformer, pass, batch,
                                                          {.label_smoothing = 0.1});
                                      }),
               IoError);
  EXPECT_EQ(calls, 2) << "one for each shard, before the second look";
  EXPECT_FALSE(checks().finite);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
