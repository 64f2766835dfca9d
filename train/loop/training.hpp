// A training from a config to the end of its run, as `tapehead train` goes through it.
#pragma once

#include "train/config/config.hpp"
#include "train/loop/training_run.hpp"
#include "train/output/logging.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// A training that has ended. As long as it lives the run is held, so that no other training writes
// to it, and what is logged goes to its log.txt too.
struct Trained {
  RunDirectory directory;
  LogFile log;
  LoadedConfig loaded;  // that it was run with
  Task task;
  RunEnd end{};
};

// Trains, evaluates the test splits, and keeps all that is in a run directory but the page. It says
// what it does to spdlog's default logger. SIGINT, SIGTERM and SIGHUP end it after the step, with a
// checkpoint, and so do the request's limits; `resume` goes on from there. Throws ConfigError,
// DataError and IoError for what cannot be trained, then without having changed anything, and
// NumericError for numbers that are not finite.
Trained train(const TrainRequest& request);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
