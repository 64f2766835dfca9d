// A training's position, without tensors: its checkpoints' metadata, its batches by epoch, and the
// learning rate that its schedule has for a step.
#pragma once

#include "core/files/tensor_file.hpp"
#include "datasets/layout.hpp"
#include "datasets/loader.hpp"
#include "train/options/options.hpp"

namespace tapehead {

constexpr Index most_counted = 1'000'000'000'000;  // steps, epochs: more than any training has

// Throws IoError that names the file if the number is missing, not a number, or out of range.
Index metadata_number(const TensorFile& file, const std::string& key, Index least, Index most);

// All bits of a number, as a whole number, so that it is read exactly as it was written.
std::string bits_of(double value);
double metadata_real(const TensorFile& file, const std::string& key);  // finite, or IoError

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

// The metric of the best checkpoint, and the options that make its values comparable.
std::string measure_of(const EvaluationOptions& options);

Metadata position_metadata(const TrainingPosition& position);

// Throws IoError that names the file if something is missing or out of its valid range.
TrainingPosition read_position(const TensorFile& file);

// The batches of a training, for each step and epoch.
class TrainingBatches {
 public:
  // Both must outlive it.
  TrainingBatches(const Config& config, const Task& task) : config_(config), task_(task) {}

  // The next step's batches, at most `accumulate`, of one epoch. Advances the position.
  std::vector<Batch> next(TrainingPosition& position);

 private:
  const Config& config_;
  const Task& task_;
  Index epoch_ = -1;
  TrainingEpoch current_;  // of that number
};

// The rate of step 1, 2, ... `total_steps` (0: unknown) is where linear and cosine reach 0. With w
// = warmup, s = step:
//
//   all but noam  in the first w steps, learning_rate s / w; afterwards
//   constant      learning_rate
//   linear        learning_rate (total - s) / (total - w)
//   cosine        learning_rate (1 + cos(π (s - w) / (total - w))) / 2
//   inverse_sqrt  learning_rate √(max(w, 1) / s)
//   noam          learning_rate d_model^-1/2 min(s^-1/2, s w^-3/2)
//
// cosine: Loshchilov and Hutter 2017, without restarts; noam: Vaswani et al. 2017, equation 3.
double learning_rate_at(const TrainingOptions& options, Index d_model, Index step,
                        Index total_steps);

}  // namespace tapehead
