// A checkpoint's parameters, optimiser's state and position in the data, each checked when read. Of
// several ranks, rank 0 alone writes and reads it.
#pragma once

#include "core/files/tensor_file.hpp"
#include "core/ranks/ranks.hpp"
#include "core/tape/parameters.hpp"
#include "nn/attention/caches.hpp"
#include "train/step/optimizer.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The tensor under a name. It must outlive the entry.
TensorEntry tensor_entry(const std::string& name, const Tensor& tensor);

// The weights alone, by their names.
std::vector<TensorEntry> weight_entries(const ParameterStore& store);

// Throws IoError that names the file if a weight is missing, of another shape, or not finite.
void expect_weights(const TensorFile& file, const ParameterStore& store);
void expect_shapes(const TensorFile& file, const ParameterStore& store);  // reads no weights

// The same, and loads the weights. If one does not match, none is loaded.
void load_weights(const TensorFile& file, ParameterStore& store);

// Loads one weight.
void load_weight(const TensorFile& file, const NamedParameter& parameter, ParameterStore& store);

// What a training goes on with, beside its position.
struct TrainingState {
  ParameterStore& store;
  Optimizer& optimizer;
  LaneMemory* memory = nullptr;  // null: none
};

// All of it. Of what the optimiser keeps it has the bytes if they are whole here.
std::vector<TensorEntry> training_entries(const TrainingState& state);

// Loads the weights, and of what the optimiser keeps all that is whole here. Throws IoError that
// names the file if something does not match; then store and optimiser are unusable.
TrainingPosition load_training(const TensorFile& file, const TrainingState& state);

// Loads what the lanes remember. Throws IoError that names the file if it does not fit.
void load_memory(const TensorFile& file, LaneMemory& memory);

// Writes the mean of the weights in `files`, of which there must be at least one, to `average`: it
// often does better than any of them (Izmailov et al. 2018). `store` defines the names and shapes
// of the weights. Throws IoError if a file does not match or cannot be written.
void write_weight_average(const std::vector<std::filesystem::path>& files,
                          const ParameterStore& store, Metadata metadata,
                          const std::filesystem::path& average);

// The bytes of an entry of a checkpoint: what the optimiser keeps comes to rank 0 tensor by tensor,
// while the file is written. All ranks call it for all entries, in_file_order().
EntryBytes entry_bytes(const TrainingState& state, Ranks& ranks);

// Gives all ranks what rank 0 has loaded: the weights, the memory, the position, and of
// `checkpoint`, which only rank 0 has, the optimiser's numbers. Null: those of the start.
void share_training(const TensorFile* checkpoint, const TrainingState& state,
                    TrainingPosition& position, Ranks& ranks);

// Gives all ranks the weights of rank 0.
void share_weights(ParameterStore& store, Ranks& ranks);

// Throws RankError that names the ranks whose weights differ from those of rank 0.
void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks);

}}  // namespace tapehead::TAPEHEAD_PRECISION
