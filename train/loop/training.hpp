// A training, from a config to the end of its run, as `tapehead train` runs it.
#pragma once

#include "train/config/config.hpp"
#include "train/loop/training_run.hpp"
#include "train/output/logging.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// A training that has ended. While this object exists, the run stays locked, so that no other
// training writes to it, and log messages also go to its log.txt.
struct Trained {
  RunDirectory directory;
  LogFile log;
  LoadedConfig loaded;  // the config that it used
  Task task;
  RunEnd end{};
};

// Trains, evaluates the test splits, and writes all files of the run directory except the page. It
// logs to spdlog's default logger. SIGINT, SIGTERM and SIGHUP end it after the current step, with a
// checkpoint; so do the limits of the request. `resume` continues from there. Throws ConfigError,
// DataError and IoError if it cannot train; then nothing is changed. Throws NumericError for
// numbers that are not finite.
Trained train(const TrainRequest& request);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
