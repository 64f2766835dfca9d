// The runs of a command that takes several, whose models then predict together.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files/input_files.hpp"
#include "train/evaluation/run_ensemble.hpp"

namespace tapehead {

struct RunChoice {
  std::vector<std::filesystem::path> runs;
  std::string checkpoint;  // of each
};

// The runs, as positional arguments, and --checkpoint.
void add_run_ensemble_options(CLI::App& command, RunChoice& choice);

// The files that a command reads if it uses these runs.
InputFiles inputs_of_runs(const RunChoice& choice);

// The chosen runs, loaded. Throws what SavedRun and RunEnsemble throw, and ConfigError for one file
// as the checkpoint of several runs.
class ChosenRuns {
 public:
  explicit ChosenRuns(const RunChoice& choice);

  const RunEnsemble& ensemble() const { return ensemble_; }
  const SavedRun& first() const { return runs_.front(); }

 private:
  std::deque<SavedRun> runs_;
  RunEnsemble ensemble_;
};

}  // namespace tapehead
