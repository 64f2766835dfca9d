// A training's position in checkpoint metadata: written, read, and rejected if out of range.
#include "train/step/training_position.hpp"

#include "tests/support/io_error.hpp"
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

}}  // namespace tapehead
