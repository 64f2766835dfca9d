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

// Moves the state to rank 0, which writes checkpoints, or from rank 0 to all ranks. `all`: on rank
// 0, all numbers of the parameter in this state.
void move_moment(const Optimizer& optimizer, const Moment& moment, std::span<Scalar> all,
                 bool to_first, Ranks& ranks) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  const auto add = [&](Index other, std::span<Scalar> numbers, bool sends) {
    if (sends && !numbers.empty()) {
      outgoing.push_back({.to = other, .bytes = std::as_bytes(numbers)});
    } else if (!numbers.empty()) {
      incoming.push_back({.from = other, .bytes = std::as_writable_bytes(numbers)});
    }
  };
  const std::span<Scalar> mine = optimizer.kept(moment.state, moment.parameter);
  if (!ranks.first()) {
    add(0, mine, to_first);
  }
  const Slice whole = slice_of(moment.parameter);
  for (Index rank = 0; ranks.first() && rank < ranks.count(); ++rank) {
    const Slice part = whole.overlap(optimizer.exchange().slice_of(rank));
    const auto first = static_cast<std::size_t>(part.size() > 0 ? part.begin - whole.begin : 0);
    const std::span<Scalar> place = all.subspan(first, static_cast<std::size_t>(part.size()));
    if (rank > 0) {
      add(rank, place, !to_first);
    } else if (to_first) {
      std::ranges::copy(mine, place.begin());
    } else {
      std::ranges::copy(place, mine.begin());
    }
  }
  ranks.exchange(outgoing, incoming);
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

EntryBytes entry_bytes(const TrainingState& training, Ranks& ranks) {
  if (ranks.count() == 1) {
    return &TensorEntry::bytes;
  }
  return [&optimizer = training.optimizer, &ranks, all = std::vector<Scalar>(),
          moments = moments_of(training.store, training.optimizer)](
             const TensorEntry& entry) mutable -> std::span<const std::byte> {
    const auto moment = std::ranges::find(moments, entry.name, &Moment::name);
    if (moment == moments.end()) {
      return entry.bytes;
    }
    all.resize(static_cast<std::size_t>(moment->parameter.shape.size()));
    move_moment(optimizer, *moment, all, true, ranks);
    return std::as_bytes(std::span(all));
  };
}

void share_training(const TensorFile* checkpoint, const TrainingState& training,
                    TrainingPosition& position, Ranks& ranks) {
  if (ranks.count() == 1) {
    return;
  }
  const auto& [store, optimizer, memory] = training;
  share_weights(store, ranks);
  position.measure = text_of_first(ranks, position.measure);
  for (Index* number : {&position.step, &position.epoch, &position.batch, &position.evaluations,
                        &position.best_evaluation}) {
    *number = value_of_first(ranks, *number);
  }
  position.batching = value_of_first(ranks, position.batching);
  position.best = value_of_first(ranks, position.best);
  optimizer.set_steps(position.step);
  if (position.step == 0) {
    return;
  }
  if (memory != nullptr) {
    copy_from_first(ranks, std::as_writable_bytes(memory->committed().values()));
  }
  std::vector<Scalar> numbers;
  for (const Moment& moment : moments_of(store, optimizer)) {
    numbers.resize(static_cast<std::size_t>(moment.parameter.shape.size()));
    if (ranks.first()) {
      copy_values(checkpoint->entry(moment.name), std::span(numbers));
    }
    move_moment(optimizer, moment, numbers, false, ranks);
  }
}

void share_weights(ParameterStore& store, Ranks& ranks) {
  copy_from_first(ranks, std::as_writable_bytes(store.values().values()));
}

void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks) {
  if (ranks.count() == 1) {
    return;
  }
  const auto bytes = std::as_bytes(store.values().values());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::vector<std::uint64_t> hashes = share_values(ranks, Hash().add(text).value());
  std::vector<std::string> differing;
  for (std::size_t rank = 1; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes.front()) {
      differing.push_back(ranks.name(static_cast<Index>(rank)));
    }
  }
  if (!differing.empty()) {
    throw RankError(
        "step {}: {} has other weights than {}, although all ranks made the same steps: the memory "
        "or processor of a rank, or the network, is not reliable; earlier checkpoints are "
        "unchanged",
        step, join(differing, ", "), ranks.name(0));
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
