// What `tapehead heads` writes, as text or as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "lab/heads/conclusions.hpp"
#include "lab/heads/head_history.hpp"
#include "train/experiment.hpp"
#include "train/run/data.hpp"

namespace tapehead {

struct HeadsRequest {
  std::filesystem::path run;
  std::string split = "validation";
  std::string checkpoint;
  DataChoice data;
  Index threads = default_threads();
  bool importance = false;
  bool prune = false;
  bool every_checkpoint = false;
  bool all = false;
  bool json = false;
  bool csv = false;
  bool legend = false;
  bool reference = false;
};

// What the heads do, and the command that shows what to look at next. Throws NumericError, before
// it writes, if a figure is not finite.
void write_findings(const HeadsRequest& request, const SavedRun& saved, const Split& split,
                    const HeadFindings& found);

// What the heads did at each checkpoint.
void write_history(const HeadsRequest& request, const Split& split, const HeadHistory& history);

}  // namespace tapehead
