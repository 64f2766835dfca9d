// A training, from a config to the end of its run, as `tapehead train` runs it.
#pragma once

#include <optional>

#include "train/config/config.hpp"
#include "train/loop/training_run.hpp"
#include "train/output/logging.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A training that has ended. While this object exists, the run stays locked, so that no other
// training writes to it, and log messages also go to its log.txt.
struct Trained {
  RunFiles files;
  std::optional<RunDirectory> directory{};  // on rank 0, which alone writes there
  std::optional<LogFile> log{};             // also
  LoadedConfig loaded;                      // the config that it used
  Task task;
  RunEnd end{};
};

// Trains, evaluates the test splits, and writes all files of the run directory except the page. The
// ranks of the request train together and give the same results as one process. It logs to spdlog's
// default logger. SIGINT, SIGTERM, SIGHUP and SIGUSR1 end it after the current step, with a
// checkpoint; so do the limits of the request. `resume` continues from there. Throws ConfigError,
// DataError and IoError if it cannot train; then nothing is changed. Throws NumericError for
// numbers that are not finite.
Trained train(const TrainRequest& request);

}}  // namespace tapehead::TAPEHEAD_PRECISION
