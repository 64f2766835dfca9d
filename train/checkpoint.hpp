// What a checkpoint says: parameters, the optimiser's state and the place in the data, each checked
// against the run that reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.hpp"
#include "core/tensor_file.hpp"
#include "datasets/batching.hpp"
#include "train/optimizer.hpp"
#include "train/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Where a training stands, apart from the numbers in tensors.
struct TrainingPosition {
  Index step = 0;
  Index epoch = 0;               // passes over the data that are complete
  Index batch = 0;               // batches of this epoch that are done
  Batching batching;             // that these batches were cut by
  Index evaluations = 0;         // so far
  Index best_evaluation = 0;     // the number of the best one: 0 before the first
  Metric metric = Metric::loss;  // by which it is the best
  double best_value = 0;
  double best_loss = 0;  // of that evaluation: it decides between equal values
};

// Which config and data a checkpoint belongs to: digests of what decides the parameters' meaning.
Metadata identity_of(const Config& config, const std::string& data_fingerprint);

// Weights alone, by their names.
std::vector<TensorEntry> weight_entries(const ParameterStore& store);
void load_weights(const TensorFile& file,
                  ParameterStore& store);  // throws IoError: a name or shape that does not fit

// The same, but parameters that are not in the file, and whose names end like this, stay as they
// are.
void load_weights_without(const TensorFile& file, std::string_view ending, ParameterStore& store);

// Weights and the optimiser's state.
std::vector<TensorEntry> training_entries(const ParameterStore& store, Optimizer& optimizer);
Metadata training_metadata(const Metadata& identity, const TrainingPosition& position);

// Throws IoError when the file belongs to another config or other data, or lacks something.
void expect_identity(const TensorFile& file, const Metadata& identity);
TrainingPosition load_training(const TensorFile& file, ParameterStore& store, Optimizer& optimizer);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
