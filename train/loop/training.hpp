// A training, from a config to the end of its run, as `tapehead train` runs it.
#pragma once

#include <memory>

#include "train/config/config.hpp"
#include "train/loop/training_run.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A training that has ended. While this object exists, so does the lock of its run.
struct Trained {
  RunFiles files;
  std::unique_ptr<RunSink> sink{};
  LoadedConfig loaded;  // the config that it used
  Task task;
  RunEnd end{};
};

// Trains, evaluates the test splits, and writes all files of the run directory except the page.
// Those of a launch train together and give the same results as one process. It logs to spdlog's
// default logger. SIGINT, SIGTERM, SIGHUP and SIGUSR1 end it after the current step, with a
// checkpoint; so do the limits of the request. `resume` continues from there. Throws ConfigError,
// DataError and IoError if it cannot train; then nothing is changed. Throws NumericError for
// numbers that are not finite.
Trained train(const TrainRequest& request);

}}  // namespace tapehead::TAPEHEAD_PRECISION
