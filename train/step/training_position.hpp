// The position of a training, without the numbers in tensors: the metadata of its checkpoints.
#pragma once

#include <string>

#include "core/files/tensor_file.hpp"
#include "core/types.hpp"
#include "datasets/batching.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct TrainingPosition {
  Index step = 0;
  Index epoch = 0;            // complete passes over the data
  Index batch = 0;            // finished batches of this epoch
  Batching batching;          // by which these batches were made
  Index evaluations = 0;      // so far
  Index best_evaluation = 0;  // the number of the best one; 0 before the first
  std::string measure;        // by which it is the best: see measure_of()
  double best_value = 0;
  double best_loss = 0;  // of that evaluation; it decides if values are equal
};

// The metric of the best checkpoint, with the options that its values depend on. Values of the same
// measure can be compared.
std::string measure_of(const EvaluationOptions& options);

Metadata position_metadata(const TrainingPosition& position);

// Throws IoError that names the file if something is missing or out of its valid range.
TrainingPosition read_position(const TensorFile& file);

}  // namespace tapehead
