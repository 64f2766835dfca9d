#include "train/run/checkpoint.hpp"

#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr const char* memory_name = "lanes.memory";
constexpr DType scalar_type = sizeof(Scalar) == sizeof(float) ? DType::f32 : DType::f64;

std::vector<Index> extents_of(const Shape& shape) {
  return {shape.extents().begin(), shape.extents().end()};
}

TensorEntry entry_of(const std::string& name, const Shape& shape, const Scalar* values) {
  return {.name = name,
          .dtype = scalar_type,
          .shape = extents_of(shape),
          .bytes = std::as_bytes(std::span(values, static_cast<std::size_t>(shape.size())))};
}

const TensorEntry& entry_with_shape(const TensorFile& file, const std::string& name,
                                    const Shape& shape) {
  const TensorEntry& entry = file.entry(name);
  if (entry.dtype != DType::f32 && entry.dtype != DType::f64) {
    throw file.unusable("{} has the type {}, but weights must be F32 or F64", name,
                        name_of(entry.dtype));
  }
  if (entry.shape != extents_of(shape)) {
    throw file.unusable("{} has shape ({}), but in the model {}", name, join(entry.shape, ", "),
                        shape.to_string());
  }
  return entry;
}

// `of_squares`: as in OptimizerMoment.
template <class Number>
void expect_numbers(const TensorFile& file, const TensorEntry& entry, bool of_squares) {
  using Limits = std::numeric_limits<Scalar>;
  const auto least = static_cast<double>(of_squares ? Scalar{0} : Limits::lowest());
  const auto most = static_cast<double>(of_squares ? Limits::infinity() : Limits::max());
  for (std::size_t i = 0; i * sizeof(Number) < entry.bytes.size(); ++i) {
    Number number;
    std::memcpy(&number, entry.bytes.data() + i * sizeof(Number), sizeof(Number));
    const auto value = static_cast<double>(number);
    const bool within = value >= least && value <= most;
    if (!within) {  // also true for NaN
      throw file.unusable("element {} of {} is {}, which training cannot produce", i, entry.name,
                          value);
    }
  }
}

const TensorEntry& sound_entry(const TensorFile& file, const std::string& name, const Shape& shape,
                               bool of_squares = false) {
  const TensorEntry& entry = entry_with_shape(file, name, shape);
  entry.dtype == DType::f32 ? expect_numbers<float>(file, entry, of_squares)
                            : expect_numbers<double>(file, entry, of_squares);
  return entry;
}

std::vector<TensorEntry> weight_entries(const ParameterStore& store, const Scalar* values) {
  return mapped(store.parameters(), [&](const NamedParameter& parameter) {
    return entry_of(parameter.name, parameter.shape, values + parameter.offset);
  });
}

// `values`: room for all numbers of the store, in its order.
void read_weights(const TensorFile& file, const ParameterStore& store, Scalar* values) {
  expect_weights(file, store);
  for (const NamedParameter& parameter : store.parameters()) {
    copy_values(
        file.entry(parameter.name),
        std::span(values + parameter.offset, static_cast<std::size_t>(parameter.shape.size())));
  }
}

}  // namespace

TensorEntry tensor_entry(const std::string& name, const Tensor& tensor) {
  return entry_of(name, tensor.shape(), tensor.data());
}

std::vector<TensorEntry> weight_entries(const ParameterStore& store) {
  return weight_entries(store, store.values().data());
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
  read_weights(file, store, store.values().data());
}

void load_weight(const TensorFile& file, const NamedParameter& parameter, ParameterStore& store) {
  Tensor values = store.value(parameter);
  copy_values(sound_entry(file, parameter.name, parameter.shape), values.values());
}

std::vector<TensorEntry> training_entries(const TrainingState& training) {
  const auto& [store, optimizer, memory] = training;
  std::vector<TensorEntry> entries = weight_entries(store);
  if (memory != nullptr) {
    entries.push_back(tensor_entry(memory_name, memory->committed()));
  }
  for (const auto& [name, state, parameter] : moments_of(store, optimizer)) {
    const std::span<const Scalar> kept = optimizer.kept(state, parameter);
    const bool whole = std::ssize(kept) == parameter.shape.size();
    entries.push_back({.name = name,
                       .dtype = scalar_type,
                       .shape = extents_of(parameter.shape),
                       .bytes = whole ? std::as_bytes(kept) : std::span<const std::byte>()});
  }
  return entries;
}

void load_memory(const TensorFile& file, LaneMemory& memory) {
  Tensor& values = memory.committed();
  copy_values(sound_entry(file, memory_name, values.shape()), values.values());
}

TrainingPosition load_training(const TensorFile& file, const TrainingState& training) {
  const auto& [store, optimizer, memory] = training;
  const TrainingPosition position = read_position(file);
  load_weights(file, store);
  for (const auto& [name, state, parameter] : moments_of(store, optimizer)) {
    const TensorEntry& entry = sound_entry(file, name, parameter.shape, state.of_squares);
    const auto kept = optimizer.kept(state, parameter);
    if (std::ssize(kept) == parameter.shape.size()) {
      copy_values(entry, kept);
    }
  }
  optimizer.set_steps(position.step);
  return position;
}

void write_weight_average(const std::vector<fs::path>& files, const ParameterStore& store,
                          Metadata metadata, const fs::path& average) {
  std::vector<Scalar> values(static_cast<std::size_t>(store.size()));
  std::vector<double> sums(static_cast<std::size_t>(store.size()), 0);
  for (const auto& file : files) {
    read_weights(TensorFile(file), store, values.data());
    std::ranges::transform(sums, values, sums.begin(), std::plus<double>());
  }
  std::ranges::transform(sums, values.begin(),
                         [count = static_cast<double>(files.size())](double sum) {
                           return static_cast<Scalar>(sum / count);
                         });
  metadata["averaged"] = std::to_string(files.size());
  write_tensor_file(average, weight_entries(store, values.data()), metadata);
}

std::vector<Moment> moments_of(const ParameterStore& store, const Optimizer& optimizer) {
  std::vector<Moment> moments;
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store.parameters()) {
      if (state.belongs_to(parameter)) {
        moments.push_back({.name = fmt::format("optimizer.{}.{}", state.name, parameter.name),
                           .state = state,
                           .parameter = parameter});
      }
    }
  }
  return moments;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
