#include "train/run/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/tensor_header.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr const char* memory_name = "lanes.memory";
constexpr DType scalar_type = sizeof(Scalar) == sizeof(float) ? DType::f32 : DType::f64;

// The limits of a number in a file.
struct Bounds {
  Scalar least = std::numeric_limits<Scalar>::lowest();
  Scalar most = std::numeric_limits<Scalar>::max();
};

std::vector<Index> extents_of(const Shape& shape) {
  std::vector<Index> extents;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    extents.push_back(shape[axis]);
  }
  return extents;
}

TensorEntry entry_of(const std::string& name, const Shape& shape, const Scalar* values) {
  return {.name = name,
          .dtype = scalar_type,
          .shape = extents_of(shape),
          .bytes = std::as_bytes(std::span(values, static_cast<std::size_t>(shape.size())))};
}

IoError fault(const TensorFile& file, const std::string& what) {
  return IoError(fmt::format("cannot use {}: {}", file.path().string(), what));
}

const TensorEntry& entry_with_shape(const TensorFile& file, const std::string& name,
                                    const Shape& shape) {
  const TensorEntry& entry = file.entry(name);
  if (entry.dtype != DType::f32 && entry.dtype != DType::f64) {
    throw fault(file, fmt::format("{} has the type {}, where weights are F32 or F64", name,
                                  name_of(entry.dtype)));
  }
  if (entry.shape != extents_of(shape)) {
    throw fault(file, fmt::format("{} has shape ({}), the model {}", name, join(entry.shape, ", "),
                                  shape.to_string()));
  }
  return entry;
}

template <class Number>
void expect_numbers(const TensorFile& file, const TensorEntry& entry, const Bounds& bounds) {
  for (std::size_t i = 0; i * sizeof(Number) < entry.bytes.size(); ++i) {
    Number number;
    std::memcpy(&number, entry.bytes.data() + i * sizeof(Number), sizeof(Number));
    const auto value = static_cast<double>(number);
    const bool within =
        value >= static_cast<double>(bounds.least) && value <= static_cast<double>(bounds.most);
    if (!within) {  // also true for NaN
      throw fault(file, fmt::format("element {} of {} is {}, which no training leaves", i,
                                    entry.name, value));
    }
  }
}

const TensorEntry& sound_entry(const TensorFile& file, const std::string& name, const Shape& shape,
                               const Bounds& bounds = {}) {
  const TensorEntry& entry = entry_with_shape(file, name, shape);
  entry.dtype == DType::f32 ? expect_numbers<float>(file, entry, bounds)
                            : expect_numbers<double>(file, entry, bounds);
  return entry;
}

void copy_entry(const TensorEntry& entry, const Shape& shape, Scalar* values) {
  copy_values(entry, std::span(values, static_cast<std::size_t>(shape.size())));
}

// Whether all numbers of the parameter are kept here.
bool is_whole(std::span<const Scalar> kept, const NamedParameter& parameter) {
  return std::ssize(kept) == parameter.shape.size();
}

}  // namespace

std::string moment_name(const Optimizer::State& state, const NamedParameter& parameter) {
  return fmt::format("optimizer.{}.{}", state.name, parameter.name);
}

TensorEntry tensor_entry(const std::string& name, const Tensor& tensor) {
  return entry_of(name, tensor.shape(), tensor.data());
}

std::vector<TensorEntry> weight_entries(const ParameterStore& store) {
  std::vector<TensorEntry> entries;
  for (const NamedParameter& parameter : store.parameters()) {
    entries.push_back(
        entry_of(parameter.name, parameter.shape, store.values().data() + parameter.offset));
  }
  return entries;
}

void expect_shapes(const TensorFile& file, const ParameterStore& store) {
  for (const NamedParameter& parameter : store.parameters()) {
    entry_with_shape(file, parameter.name, parameter.shape);
  }
}

void expect_weights(const TensorFile& file, const ParameterStore& store) {
  for (const NamedParameter& parameter : store.parameters()) {
    sound_entry(file, parameter.name, parameter.shape);
  }
}

void load_weights(const TensorFile& file, ParameterStore& store) {
  expect_weights(file, store);
  for (const NamedParameter& parameter : store.parameters()) {
    copy_entry(file.entry(parameter.name), parameter.shape,
               store.values().data() + parameter.offset);
  }
}

void load_weight(const TensorFile& file, const NamedParameter& parameter, ParameterStore& store) {
  copy_entry(sound_entry(file, parameter.name, parameter.shape), parameter.shape,
             store.values().data() + parameter.offset);
}

std::vector<TensorEntry> training_entries(const TrainingState& training) {
  const auto& [store, optimizer, memory] = training;
  std::vector<TensorEntry> entries = weight_entries(store);
  if (memory != nullptr) {
    entries.push_back(tensor_entry(memory_name, memory->committed()));
  }
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store.parameters()) {
      if (state.belongs_to(parameter)) {
        const std::span<const Scalar> kept = optimizer.kept(state, parameter);
        entries.push_back({.name = moment_name(state, parameter),
                           .dtype = scalar_type,
                           .shape = extents_of(parameter.shape),
                           .bytes = is_whole(kept, parameter) ? std::as_bytes(kept)
                                                              : std::span<const std::byte>()});
      }
    }
  }
  return entries;
}

Metadata training_metadata(const Identity& identity, const TrainingPosition& position) {
  Metadata metadata = identity.facts;
  metadata.merge(position_metadata(position));
  return metadata;
}

void load_memory(const TensorFile& file, LaneMemory& memory) {
  Tensor& values = memory.committed();
  copy_entry(sound_entry(file, memory_name, values.shape()), values.shape(), values.data());
}

TrainingPosition load_training(const TensorFile& file, const TrainingState& training) {
  ParameterStore& store = training.store;
  Optimizer& optimizer = training.optimizer;
  const TrainingPosition position = read_position(file);
  load_weights(file, store);
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store.parameters()) {
      if (state.belongs_to(parameter)) {
        const TensorEntry& entry = sound_entry(file, moment_name(state, parameter), parameter.shape,
                                               {.least = state.least, .most = state.most});
        if (const auto kept = optimizer.kept(state, parameter); is_whole(kept, parameter)) {
          copy_values(entry, kept);
        }
      }
    }
  }
  optimizer.set_steps(position.step);
  return position;
}

namespace {

// Restores the store's weights at the end, also after an exception.
class KeptWeights {
 public:
  explicit KeptWeights(ParameterStore& store) : store_(store), kept_(store.values().copy()) {}
  KeptWeights(const KeptWeights&) = delete;
  KeptWeights& operator=(const KeptWeights&) = delete;
  ~KeptWeights() { std::ranges::copy(kept_.values(), store_.values().data()); }

 private:
  ParameterStore& store_;
  Tensor kept_;
};

}  // namespace

void write_weight_average(const std::vector<std::filesystem::path>& files, ParameterStore& store,
                          Metadata metadata, const std::filesystem::path& average) {
  const KeptWeights kept(store);
  std::vector<double> sums(static_cast<std::size_t>(store.size()), 0);
  for (const auto& file : files) {
    load_weights(TensorFile(file), store);
    std::ranges::transform(
        sums, store.values().values(), sums.begin(),
        [](double sum, Scalar value) { return sum + static_cast<double>(value); });
  }
  std::ranges::transform(sums, store.values().data(),
                         [count = static_cast<double>(files.size())](double sum) {
                           return static_cast<Scalar>(sum / count);
                         });
  metadata["averaged"] = std::to_string(files.size());
  write_tensor_file(average, weight_entries(store), metadata);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
