// The progress of a run, read from its metrics.jsonl while it is written.
#pragma once

#include "train/options/options.hpp"

namespace tapehead {

struct RunProgress {
  Index step = 0;
  Index epoch = 0;  // finished epochs
  std::optional<double> loss;
  std::optional<double> metric;  // of the last evaluation
  bool readable = true;          // false: the file is there, but reading it fails
};

class RunWatch {
 public:
  RunWatch(std::filesystem::path metrics, Metric metric)
      : file_(std::move(metrics)), metric_(metric) {}

  // Reads what was written since the last call. A missing file counts as empty.
  const RunProgress& look();

 private:
  void take(std::string_view line);

  std::filesystem::path file_;
  Metric metric_;
  std::streamoff read_ = 0;
  RunProgress progress_;
};

// "step 120/600" or "epoch 3/22", as far as the config determines where the training ends.
std::string progress_text(const RunProgress& progress, const TrainingOptions& training);

}  // namespace tapehead
