#include "train/step/training_position.hpp"

#include <numbers>

#include "core/option_rows.hpp"
#include "core/text.hpp"

namespace tapehead {

Index metadata_number(const TensorFile& file, const std::string& key, Index least, Index most) {
  const std::string& text = file.metadata(key);
  const auto number = whole_number(text);
  if (!number || *number < least || *number > most) {
    throw file.unusable("its metadata says {} '{}', which is no number from {} to {}", key, text,
                        least, most);
  }
  return *number;
}

namespace {

// The bits as an integer, so that the number is read back exactly.
std::string bits_of(double value) { return std::to_string(std::bit_cast<Index>(value)); }

double metadata_real(const TensorFile& file, const std::string& key) {
  const auto value = std::bit_cast<double>(metadata_number(
      file, key, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()));
  if (!std::isfinite(value)) {
    throw file.unusable("its metadata says {} {}, which is not finite", key, value);
  }
  return value;
}

template <class Enum>
Enum choice_in(const TensorFile& file, const std::string& key) {
  return static_cast<Enum>(
      metadata_number(file, key, 0, static_cast<Index>(EnumNames<Enum>::names.size()) - 1));
}

// A training option's number, within the range of the option.
Index option_in(const TensorFile& file, const std::string& key) {
  TrainingOptions options;
  const std::vector<Row> rows = rows_of(options);
  const auto row = std::ranges::find(rows, key, [](const Row& one) { return one.field.name; });
  return metadata_number(file, key, static_cast<Index>(row->field.minimum),
                         static_cast<Index>(row->field.maximum));
}

}  // namespace

Metadata best_metadata(const BestWeights& best) {
  return {{"best_value", bits_of(best.value)}, {"best_loss", bits_of(best.loss)}};
}

BestWeights read_best(const TensorFile& file) {
  return {.value = metadata_real(file, "best_value"), .loss = metadata_real(file, "best_loss")};
}

std::string measure_of(const EvaluationOptions& options) {
  if (!needs_outputs(kind_of(options.metric))) {
    const Index memory = options.memory.value_or(0);
    const Index stride = options.stride.value_or(0);
    return fmt::format("{}{}{}", kind_of(options.metric).name,
                       memory > 0 ? fmt::format(" (memory {})", memory) : "",
                       stride > 0 ? fmt::format(" (stride {})", stride) : "");
  }
  return fmt::format(
      "{} (decode_examples {}, max_extra_length {}, bleu_tokenizer {}, lowercase {})",
      kind_of(options.metric).name, options.decode_examples, options.max_extra_length,
      name_of(options.bleu_tokenizer), options.lowercase);
}

Metadata position_metadata(const TrainingPosition& position) {
  Metadata metadata{
      {"step", std::to_string(position.step)},
      {"epoch", std::to_string(position.epoch)},
      {"batch", std::to_string(position.batch)},
      {"batch_tokens", std::to_string(position.batching.tokens)},
      {"batch_lengths", std::to_string(static_cast<Index>(position.batching.lengths))},
      {"memory", std::to_string(position.batching.memory)},
      {"batches_of_step", std::to_string(position.batching.batches_of_step)},
      {"measure", position.measure},
      {"evaluations", std::to_string(position.evaluations)},
      {"best_evaluation", std::to_string(position.best_evaluation)},
  };
  metadata.merge(best_metadata(position.best));
  return metadata;
}

TrainingPosition read_position(const TensorFile& file) {
  TrainingPosition position;
  position.step = metadata_number(file, "step", 0, most_counted);
  position.epoch = metadata_number(file, "epoch", 0, most_counted);
  position.batch = metadata_number(file, "batch", 0, most_counted);
  position.batching.tokens = option_in(file, "batch_tokens");
  if (file.metadata().contains("batch_lengths")) {  // not in older files
    position.batching.lengths = choice_in<BatchLengths>(file, "batch_lengths");
  }
  if (file.metadata().contains("memory")) {  // not in older files
    position.batching.memory = option_in(file, "memory");
    position.batching.batches_of_step = metadata_number(file, "batches_of_step", 1, most_counted);
  }
  // Older files have the metric without the options that its values depend on.
  position.measure = file.metadata().contains("metric")
                         ? std::string(kind_of(choice_in<Metric>(file, "metric")).name)
                         : file.metadata("measure");
  position.evaluations = metadata_number(file, "evaluations", 0, most_counted);
  position.best_evaluation = metadata_number(file, "best_evaluation", 0, position.evaluations);
  position.best = read_best(file);
  return position;
}

std::vector<Batch> TrainingBatches::next(TrainingPosition& position) {
  if (epoch_ != position.epoch) {
    current_ = {};  // frees the old epoch's batches first
    current_ = training_epoch(task_, config_.training.batching(), config_.seed, position.epoch);
    epoch_ = position.epoch;
  }
  const Index count = std::ssize(current_.batches);
  const Index end = std::min(count, position.batch + config_.training.accumulate);
  std::vector<Batch> group = mapped(std::views::iota(position.batch, end), [&](Index i) {
    return current_.batch(static_cast<std::size_t>(i));
  });
  position.batch = end == count ? 0 : end;
  position.epoch += end == count ? 1 : 0;
  return group;
}

double learning_rate_at(const TrainingOptions& options, Index d_model, Index step,
                        Index total_steps) {
  const auto s = static_cast<double>(step);
  const auto w = static_cast<double>(options.warmup);
  if (options.schedule == ScheduleKind::noam) {
    const double rise = options.warmup > 0 ? s * std::pow(w, -1.5) : 1 / std::sqrt(s);
    return options.learning_rate / std::sqrt(static_cast<double>(d_model)) *
           std::min(1 / std::sqrt(s), rise);
  }
  if (step <= options.warmup) {
    return options.learning_rate * s / w;
  }
  const double length = std::max(1.0, static_cast<double>(total_steps) - w);
  const double passed = std::clamp((s - w) / length, 0.0, 1.0);
  const double end = options.learning_rate_end;
  switch (options.schedule) {
    case ScheduleKind::linear:
      return end + (options.learning_rate - end) * (1 - passed);
    case ScheduleKind::cosine:
      return end + (options.learning_rate - end) * (1 + std::cos(std::numbers::pi * passed)) / 2;
    case ScheduleKind::inverse_sqrt:
      return options.learning_rate * std::sqrt(std::max(w, 1.0) / s);
    default:
      return options.learning_rate;
  }
}

}  // namespace tapehead
