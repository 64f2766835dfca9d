// A request for a report: of which run, and with how much work.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "datasets/task.hpp"
#include "lab/heads/head_figure_rows.hpp"
#include "train/run/data.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The amount of work on the heads, in sentences that the model reads.
struct ReportEffort {
  Index watched = 200;      // over which the heads are watched, at most
  Index importance = 4000;  // divided among all heads, each of which is left out once
  Index pruning = 8000;     // likewise, but all heads are examined for each one that is removed
  bool prune = false;       // always make a pruning curve, over `watched` sentences
};

struct ReportRequest {
  std::filesystem::path run;
  std::string split = "validation";
  std::vector<Index> sentences{};    // example numbers in the split, from 0; empty: the first ones
  std::vector<std::string> texts{};  // of the user's own, shown before the sentences
  std::string checkpoint{};          // as SavedRun takes it
  DataChoice data{};
  ReportEffort effort{};
  bool every_checkpoint = false;  // also the heads and the spectrum at each that the run keeps
  Index threads = 1;
  std::vector<HeadFigureRow> figures = head_figure_rows();  // of each head
  const Task* task = nullptr;  // the run's data, if it is loaded already
  std::function<void(const std::string& what)> progress{};
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
