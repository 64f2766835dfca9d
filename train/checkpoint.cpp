#include "train/checkpoint.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "core/draws.hpp"
#include "core/errors.hpp"
#include "train/config/config.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr DType scalar_type = sizeof(Scalar) == sizeof(float) ? DType::f32 : DType::f64;

TensorEntry entry_of(const std::string& name, const Shape& shape, const Scalar* values) {
  TensorEntry entry{.name = name, .dtype = scalar_type, .shape = {}, .bytes = {}};
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    entry.shape.push_back(shape[axis]);
  }
  entry.bytes = std::as_bytes(std::span(values, static_cast<std::size_t>(shape.size())));
  return entry;
}

void load_entry(const TensorFile& file, const std::string& name, const Shape& shape,
                Scalar* values) {
  const TensorEntry& entry = file.entry(name);
  const TensorEntry expected = entry_of(name, shape, values);
  if (entry.shape != expected.shape) {
    std::string found;
    for (const Index extent : entry.shape) {
      found += (found.empty() ? "" : ", ") + std::to_string(extent);
    }
    throw IoError(fmt::format("{}: {} has shape ({}), the model {}", file.path().string(), name,
                              found, shape.to_string()));
  }
  copy_values(entry, std::span(values, static_cast<std::size_t>(shape.size())));
}

std::string state_name(const Optimizer::State& state, const NamedParameter& parameter) {
  return fmt::format("optimizer.{}.{}", state.name, parameter.name);
}

Index number(const TensorFile& file, const std::string& key) {
  const std::string& text = file.metadata(key);
  Index value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ptr !=
      text.data() + text.size()) {
    throw IoError(
        fmt::format("{}: metadata \"{}\" is not a number: {}", file.path().string(), key, text));
  }
  return value;
}

}  // namespace

Metadata identity_of(const Config& config, const std::string& data_fingerprint) {
  // The task is known by the data it gives: its section holds paths, which may change. Where the
  // weights started from does not matter to those that follow.
  Config numbers = config;
  numbers.model.init_from.clear();
  std::string decisive = fmt::format("seed: {}\n{}", config.seed, dump_section(numbers, "model"));
  for (const std::string_view kind : attention_kind_names) {
    decisive += fmt::format("{}:\n{}", kind, dump_section(numbers, kind));
  }
  return {{"config", fmt::format("{:016x}", digest(decisive))}, {"data", data_fingerprint}};
}

std::vector<TensorEntry> weight_entries(const ParameterStore& store) {
  std::vector<TensorEntry> entries;
  for (const NamedParameter& parameter : store.parameters()) {
    entries.push_back(
        entry_of(parameter.name, parameter.shape, store.values().data() + parameter.offset));
  }
  return entries;
}

void load_weights(const TensorFile& file, ParameterStore& store) {
  for (const NamedParameter& parameter : store.parameters()) {
    load_entry(file, parameter.name, parameter.shape, store.values().data() + parameter.offset);
  }
}

void load_weights_without(const TensorFile& file, std::string_view ending, ParameterStore& store) {
  for (const NamedParameter& parameter : store.parameters()) {
    if (file.find(parameter.name) != nullptr || !parameter.name.ends_with(ending)) {
      load_entry(file, parameter.name, parameter.shape, store.values().data() + parameter.offset);
    }
  }
}

std::vector<TensorEntry> training_entries(const ParameterStore& store, Optimizer& optimizer) {
  std::vector<TensorEntry> entries = weight_entries(store);
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store.parameters()) {
      entries.push_back(entry_of(state_name(state, parameter), parameter.shape,
                                 state.memory->data() + parameter.offset));
    }
  }
  return entries;
}

Metadata training_metadata(const Metadata& identity, const TrainingPosition& position) {
  Metadata metadata = identity;
  metadata["step"] = std::to_string(position.step);
  metadata["epoch"] = std::to_string(position.epoch);
  metadata["batch"] = std::to_string(position.batch);
  metadata["batch_tokens"] = std::to_string(position.batching.tokens);
  metadata["batch_lengths"] = std::to_string(static_cast<Index>(position.batching.lengths));
  metadata["metric"] = std::to_string(static_cast<Index>(position.metric));
  metadata["evaluations"] = std::to_string(position.evaluations);
  metadata["best_evaluation"] = std::to_string(position.best_evaluation);
  // All bits of the values, so that a resumed run compares with the very same numbers.
  metadata["best_value"] = std::to_string(std::bit_cast<Index>(position.best_value));
  metadata["best_loss"] = std::to_string(std::bit_cast<Index>(position.best_loss));
  return metadata;
}

void expect_identity(const TensorFile& file, const Metadata& identity) {
  for (const auto& [key, value] : identity) {
    if (file.metadata(key) != value) {
      throw IoError(fmt::format(
          "{} comes from {} (it says {}, this run is {})", file.path().string(),
          key == "data" ? "other data" : "another model or seed", file.metadata(key), value));
    }
  }
}

TrainingPosition load_training(const TensorFile& file, ParameterStore& store,
                               Optimizer& optimizer) {
  load_weights(file, store);
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store.parameters()) {
      load_entry(file, state_name(state, parameter), parameter.shape,
                 state.memory->data() + parameter.offset);
    }
  }
  TrainingPosition position;
  position.step = number(file, "step");
  position.epoch = number(file, "epoch");
  position.batch = number(file, "batch");
  position.batching.tokens = number(file, "batch_tokens");
  if (file.metadata().contains("batch_lengths")) {  // once all batches were of like lengths
    position.batching.lengths = static_cast<BatchLengths>(number(file, "batch_lengths"));
  }
  position.metric = static_cast<Metric>(number(file, "metric"));
  position.evaluations = number(file, "evaluations");
  position.best_evaluation = number(file, "best_evaluation");
  position.best_value = std::bit_cast<double>(number(file, "best_value"));
  position.best_loss = std::bit_cast<double>(number(file, "best_loss"));
  optimizer.set_steps(position.step);
  return position;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
