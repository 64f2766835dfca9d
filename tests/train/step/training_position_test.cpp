// A training's position in checkpoint metadata: written, read, and rejected if out of range. The
// schedules at points computed by hand, and over a whole run compared with PyTorch.
#include "train/step/training_position.hpp"

#include "core/files/tensor_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TrainingPosition somewhere() {
  return {.step = 40,
          .epoch = 2,
          .batch = 3,
          .batching = {.tokens = 256, .lengths = BatchLengths::mixed},
          .evaluations = 4,
          .best_evaluation = 3,
          .measure = "loss",
          .best = {.value = 1.0 / 3, .loss = 1.0 / 3}};
}

TrainingPosition read(const TemporaryDirectory& here, const Metadata& metadata) {
  write_tensor_file(here / "f.safetensors", {}, metadata);
  return read_position(TensorFile(here / "f.safetensors"));
}

TEST(TrainingPosition, comes_back_as_it_was_written) {
  const TemporaryDirectory here;
  const TrainingPosition back = read(here, position_metadata(somewhere()));
  EXPECT_EQ(position_metadata(back), position_metadata(somewhere()));
  EXPECT_EQ(back.best.value, 1.0 / 3);
  EXPECT_EQ(back.batching.lengths, BatchLengths::mixed);
}

TEST(TrainingPosition, out_of_range_is_refused_with_the_file) {
  const TemporaryDirectory here;
  const std::string nan =
      std::to_string(std::bit_cast<Index>(std::numeric_limits<double>::quiet_NaN()));
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"step", "-1"},
           {"step", ""},
           {"step", "4x"},
           {"step", "99999999999999999999"},
           {"epoch", "-9223372036854775808"},
           {"batch", "-1"},
           {"batch_tokens", "0"},
           {"batch_tokens", "10000001"},  // at most 1e7 in training.batch_tokens
           {"batch_lengths", "2"},
           {"batch_lengths", "999999999999"},
           {"evaluations", "-1"},
           {"best_evaluation", "5"},  // of 4 evaluations
           {"best_value", nan},
           {"best_loss", nan}}) {
    Metadata metadata = position_metadata(somewhere());
    metadata[key] = value;
    EXPECT_THAT(io_error_of([&] { read(here, metadata); }),
                AllOf(HasSubstr("f.safetensors"), HasSubstr(key)))
        << key << " " << value;
    metadata.erase(key);
    if (key != "batch_lengths") {
      EXPECT_THAT(io_error_of([&] { read(here, metadata); }),
                  AllOf(HasSubstr("f.safetensors"), HasSubstr(key)));
    }
  }
}

// Old checkpoints store the metric as a number: 4 is bleu.
TEST(TrainingPosition, of_a_metrics_number_is_read) {
  const TemporaryDirectory here;
  Metadata metadata = position_metadata(somewhere());
  metadata.erase("measure");
  metadata["metric"] = "4";
  EXPECT_EQ(read(here, metadata).measure, "bleu");
  metadata["metric"] = std::to_string(metric_count);
  EXPECT_THAT(io_error_of([&] { read(here, metadata); }),
              HasSubstr("metric '" + std::to_string(metric_count) + "'"));
}

TEST(MeasureOf, has_the_options_that_outputs_depend_on) {
  EvaluationOptions options;
  options.metric = Metric::token_accuracy;
  const std::string accuracy = measure_of(options);
  options.decode_examples = 7;
  EXPECT_EQ(measure_of(options), accuracy);
  options.memory = 7;
  EXPECT_NE(measure_of(options), accuracy);
  options.memory.reset();
  options.stride = 7;
  EXPECT_NE(measure_of(options), accuracy);
  options.metric = Metric::bleu;
  const std::string bleu = measure_of(options);
  options.decode_examples = 8;
  EXPECT_NE(measure_of(options), bleu);
}

std::string name_of(ScheduleKind kind) {
  return std::string(EnumNames<ScheduleKind>::names[static_cast<std::size_t>(kind)]);
}

struct SchedulePoint {
  ScheduleKind kind;
  Index warmup;
  Index step;
  Index run;  // 0: without a last step
  double rate;
  double end = 0;
};

// Of the steps that the comparison with PyTorch does not have: beyond its run, without a run, and
// with a rate at the end.
TEST(Schedule, has_the_rate_of_its_formula) {
  using enum ScheduleKind;
  std::vector<SchedulePoint> points{
      {constant, 0, 1, 0, 0.8},
      {linear, 4, 25, 20, 0},
      {cosine, 4, 25, 20, 0},
      {inverse_sqrt, 4, 16, 0, 0.4},  // half in four times the steps
      {inverse_sqrt, 4, 64, 0, 0.2},
      // Vaswani et al. 2017, equation 3. The factor for d_model 64 is 1 / 8. With warmup 4, a
      // second factor rises as step / 8 to 1 / 2 at step 4.
      {noam, 4, 1, 0, 0.1 / 8},
      {noam, 4, 4, 0, 0.1 / 2},
      {noam, 4, 16, 0, 0.1 / 4},
  };
  // From 0.8 to 0.2; half-way down in the middle.
  for (const ScheduleKind kind : {linear, cosine}) {
    points.insert(points.end(), {{kind, 4, 4, 20, 0.8, 0.2},
                                 {kind, 4, 12, 20, 0.5, 0.2},
                                 {kind, 4, 20, 20, 0.2, 0.2},
                                 {kind, 4, 25, 20, 0.2, 0.2}});
  }
  for (const auto& [kind, warmup, step, run, rate, end] : points) {
    TrainingOptions options;
    options.schedule = kind;
    options.learning_rate = 0.8;
    options.learning_rate_end = end;
    options.warmup = warmup;
    SCOPED_TRACE(fmt::format("{}, warmup {}, step {} of {}", name_of(kind), warmup, step, run));
    const double found = learning_rate_at(options, 64, step, run);
    if (step >= run && (kind == cosine || end > 0)) {
      EXPECT_NEAR(found, rate, 1e-15);
    } else {
      EXPECT_DOUBLE_EQ(found, rate);
    }
  }
}

TEST(PytorchSchedule, has_the_same_rates) {
  constexpr Index run = 20;  // the numbers in the script
  constexpr Index d_model = 12;
  const TensorFile file(TAPEHEAD_FIXTURES "/pytorch/schedules.safetensors", Trust::any);
  for (const ScheduleKind kind :
       {ScheduleKind::constant, ScheduleKind::linear, ScheduleKind::cosine,
        ScheduleKind::inverse_sqrt, ScheduleKind::noam}) {
    for (const Index warmup : {0, 5}) {
      TrainingOptions options;
      options.learning_rate = 0.7;
      options.schedule = kind;
      options.warmup = warmup;
      std::vector<double> rates(run);
      copy_values(file.entry(name_of(kind) + (warmup == 0 ? ".cold" : ".warm")), rates);
      for (Index step = 1; step <= run; ++step) {
        const double expected = rates[static_cast<std::size_t>(step - 1)];
        EXPECT_NEAR(learning_rate_at(options, d_model, step, run), expected, 1e-12 * expected)
            << name_of(kind) << ", warmup " << warmup << ", step " << step;
      }
    }
  }
}

}}  // namespace tapehead
