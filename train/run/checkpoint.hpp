// Reads and writes a checkpoint's parameters, optimiser state and position in the data. Everything
// is checked when read. Of several ranks, rank 0 alone reads and writes the file.
#pragma once

#include "nn/attention/caches.hpp"
#include "train/step/optimizer.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// An entry that refers to the tensor, which must outlive it.
TensorEntry tensor_entry(const std::string& name, const Tensor& tensor);

// The weights by name, without optimiser state.
std::vector<TensorEntry> weight_entries(const ParameterStore& store);

// Throws IoError that names the file if a weight is missing, of another shape, or not finite.
void expect_weights(const TensorFile& file, const ParameterStore& store);
void expect_shapes(const TensorFile& file, const ParameterStore& store);  // reads no weights

// Checks like expect_weights(), then loads the weights. If one weight does not match, loads none.
void load_weights(const TensorFile& file, ParameterStore& store);

void load_weight(const TensorFile& file, const NamedParameter& parameter, ParameterStore& store);

// The state with which a training continues, besides its position.
struct TrainingState {
  ParameterStore& store;
  Optimizer& optimizer;
  LaneMemory* memory = nullptr;  // null: none
};

// A parameter's state in the optimiser, with its name in checkpoints. It refers to both.
struct Moment {
  std::string name;
  const Optimizer::State& state;
  const NamedParameter& parameter;
};
std::vector<Moment> moments_of(const ParameterStore& store, const Optimizer& optimizer);

// Entries for the whole state. Moments have bytes only if the optimiser holds them in full.
std::vector<TensorEntry> training_entries(const TrainingState& state);

// Loads the weights, and each moment that the optimiser holds in full. Throws IoError that names
// the file if something does not match; then store and optimiser are unusable.
TrainingPosition load_training(const TensorFile& file, const TrainingState& state);

// Loads the memory of the lanes. Throws IoError that names the file if it does not fit.
void load_memory(const TensorFile& file, LaneMemory& memory);

// Writes the mean weights of `files` (at least one) to `average`; they are often better than each
// file (Izmailov et al. 2018). `store`: names and shapes. Throws IoError if a file does not match.
void write_weight_average(const std::vector<fs::path>& files, const ParameterStore& store,
                          Metadata metadata, const fs::path& average);

// A function that returns an entry's bytes. Rank 0 receives optimiser state tensor by tensor, while
// it writes the file. All ranks must call it for all entries, in_file_order().
EntryBytes entry_bytes(const TrainingState& state, Ranks& ranks);

// Gives all ranks what rank 0 has loaded: weights, memory, position, and the optimiser state in
// `checkpoint`, which is null on other ranks and at the start of a training.
void share_training(const TensorFile* checkpoint, const TrainingState& state,
                    TrainingPosition& position, Ranks& ranks);

// Gives all ranks the weights of rank 0.
void share_weights(ParameterStore& store, Ranks& ranks);

// Throws RankError that names the ranks whose weights differ from rank 0's weights.
void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks);

}}  // namespace tapehead::TAPEHEAD_PRECISION
