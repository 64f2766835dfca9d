// Which run a report is asked for, and how much work is put into it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "datasets/task.hpp"
#include "train/run/data.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// How much of the work is put into the heads, counted in sentences that the model reads.
struct ReportEffort {
  Index watched = 200;      // over which the heads are watched, at most
  Index importance = 4000;  // shared by all heads, of which each is left out once
  Index pruning = 8000;     // likewise, but all heads are looked at for each that goes
  bool prune = false;       // a pruning curve in any case, over so many sentences as are watched
};

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

}  // namespace tapehead::inline TAPEHEAD_PRECISION
