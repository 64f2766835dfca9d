// Where a training stands, apart from the numbers in tensors: what the metadata of its checkpoints
// says.
#pragma once

#include <string>

#include "core/files/tensor_file.hpp"
#include "core/types.hpp"
#include "datasets/batching.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct TrainingPosition {
  Index step = 0;
  Index epoch = 0;            // passes over the data that are complete
  Index batch = 0;            // batches of this epoch that are done
  Batching batching;          // that these batches were cut by
  Index evaluations = 0;      // so far
  Index best_evaluation = 0;  // the number of the best one: 0 before the first
  std::string measure;        // by which it is the best: measure_of()
  double best_value = 0;
  double best_loss = 0;  // of that evaluation: it decides between equal values
};

// The metric of the best checkpoint, with the options that its values depend on: values by one
// measure can be compared.
std::string measure_of(const EvaluationOptions& options);

Metadata position_metadata(const TrainingPosition& position);

// Throws IoError that names the file: something is missing, or out of the range that it may have.
TrainingPosition read_position(const TensorFile& file);

}  // namespace tapehead
