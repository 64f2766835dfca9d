// The report of a run: what it is, how far it is, its curves, samples, heads, config and machine.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "datasets/task.hpp"
#include "train/run/run_data.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// How much of the work is put into the heads, counted in sentences that the model reads.
struct ReportEffort {
  Index watched = 200;      // over which the heads are watched, at most
  Index importance = 4000;  // shared by all heads, of which each is left out once
  Index pruning = 8000;     // likewise, but all heads are looked at for each that goes
  bool prune = false;       // a pruning curve in any case, over so many sentences as are watched
};

// That of a training's own report, which must not take longer than one more validation.
ReportEffort effort_of_training(Index validation_examples);

struct ReportRequest {
  std::filesystem::path run;
  std::string split = "validation";
  std::vector<Index> sentences{};  // numbers of the split's examples, from 0; none: the first ones
  std::string checkpoint{};        // as SavedRun takes it
  DataChoice data{};
  ReportEffort effort{};
  Index threads = 1;
  const Task* task = nullptr;  // the run's data, where it is at hand already
  std::function<void(const std::string& what)> progress{};
};

// What report_page() shows. A run that has not ended, or has no checkpoint, or whose data is gone,
// is told as far as it is known, and what is missing stands in "notes". Throws IoError for what is
// no run and for a checkpoint that is named and cannot be used, ConfigError and DataError for a
// sentence and a split that are not there.
nlohmann::ordered_json report_run(const ReportRequest& request);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
