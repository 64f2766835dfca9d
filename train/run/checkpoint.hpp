// What a checkpoint holds: parameters, the optimiser's state and the place in the data, each
// checked where it is read.
#pragma once

#include <vector>

#include "core/files/tensor_file.hpp"
#include "core/tape/parameters.hpp"
#include "train/run/identity.hpp"
#include "train/step/optimizer.hpp"
#include "train/step/training_position.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Weights alone, by their names.
std::vector<TensorEntry> weight_entries(const ParameterStore& store);

// Throws IoError that names the file: a weight is missing, has another shape than the store's, or
// is not finite.
void expect_weights(const TensorFile& file, const ParameterStore& store);
void expect_shapes(const TensorFile& file, const ParameterStore& store);  // does not read them

// The same, and takes them over; when one does not fit, none is.
void load_weights(const TensorFile& file, ParameterStore& store);

// One of them.
void load_weight(const TensorFile& file, const NamedParameter& parameter, ParameterStore& store);

// Weights and the optimiser's state.
std::vector<TensorEntry> training_entries(const ParameterStore& store, Optimizer& optimizer);
Metadata training_metadata(const Identity& identity, const TrainingPosition& position);

// Throws IoError that names the file, also where the optimiser's state does not fit; store and
// optimiser are then of no use.
TrainingPosition load_training(const TensorFile& file, ParameterStore& store, Optimizer& optimizer);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
