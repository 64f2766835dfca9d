// A training's position, which checkpoint metadata hold; its next batches; a step's learning rate.
#pragma once

#include "core/files/tensor_file.hpp"
#include "datasets/loader.hpp"
#include "train/options/options.hpp"

namespace tapehead {

constexpr Index most_counted = 1'000'000'000'000;  // steps or epochs: more than any training has

// Throws IoError that names the file if the number is missing, invalid or out of range.
Index metadata_number(const TensorFile& file, const std::string& key, Index least, Index most);

// How good weights are: their evaluation by the training's measure and, for equal values, the loss.
struct BestWeights {
  double value = 0;
  double loss = 0;
};
Metadata best_metadata(const BestWeights& best);
BestWeights read_best(const TensorFile& file);  // finite numbers, or IoError

struct TrainingPosition {
  Index step = 0;
  Index epoch = 0;            // complete passes over the data
  Index batch = 0;            // finished batches of this epoch
  Batching batching;          // how these batches were made
  Index evaluations = 0;      // so far
  Index best_evaluation = 0;  // the number of the best evaluation; 0: none yet
  std::string measure;        // by which an evaluation is the best: see measure_of()
  BestWeights best{};         // of that evaluation

  // The evaluations since the best one.
  Index without_gain() const { return evaluations - best_evaluation; }
};

// The metric that chooses the best checkpoint, and the options that its values depend on.
std::string measure_of(const EvaluationOptions& options);

Metadata position_metadata(const TrainingPosition& position);

// Throws IoError that names the file if a value is missing or out of range.
TrainingPosition read_position(const TensorFile& file);

class TrainingBatches {
 public:
  // `config` and `task` must outlive it.
  TrainingBatches(const Config& config, const Task& task) : config_(config), task_(task) {}

  // The batches of the next step, at most `accumulate`, from one epoch. Advances the position.
  std::vector<Batch> next(TrainingPosition& position);

 private:
  const Config& config_;
  const Task& task_;
  Index epoch_ = -1;
  TrainingEpoch current_;  // the epoch `epoch_`
};

// The rate of step s = 1, 2, ... With w = warmup and e = learning_rate_end, which linear and cosine
// reach at step `total_steps` (0: unknown):
//
//   all but noam  in the first w steps, learning_rate s / w; afterwards
//   constant      learning_rate
//   linear        e + (learning_rate - e) (total - s) / (total - w)
//   cosine        e + (learning_rate - e) (1 + cos(π (s - w) / (total - w))) / 2
//   inverse_sqrt  learning_rate √(max(w, 1) / s)
//   noam          learning_rate d_model^-1/2 min(s^-1/2, s w^-3/2)
//
// cosine: Loshchilov and Hutter 2017, without restarts; noam: Vaswani et al. 2017, equation 3.
double learning_rate_at(const TrainingOptions& options, Index d_model, Index step,
                        Index total_steps);

}  // namespace tapehead
