#include "lab/sweep/inputs.hpp"

#include <array>

#include "core/files/files.hpp"
#include "train/loop/run_inputs.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 5> result_files{"sweep.json", "results.json", "runs.csv",
                                                  "cells.csv", "report.html"};

}  // namespace

InputFiles inputs_of_sweep(const fs::path& directory) {
  InputFiles inputs;
  for (const char* const name : result_files) {
    if (directory / name != RunFiles{directory}.report()) {
      inputs.add(directory / name);
    }
  }
  for (const fs::path& entry : entries_of(directory)) {
    inputs.add(files_of_run(entry));
  }
  return inputs;
}

InputFiles inputs_of_sweep(const fs::path& file, const SweepPlan& plan) {
  InputFiles inputs;
  inputs.add(file);
  for (const SweepRun& run : plan.runs) {
    inputs.add(run.config_files);
    inputs.add(inputs_of_training(run.config).paths());
  }
  return inputs;
}

void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const fs::path& directory) {
  for (const char* const name : result_files) {
    inputs.expect_other(directory / name);
  }
  for (const SweepRun& run : plan.runs) {
    inputs.expect_other(directory / (run.name + ".log"));
  }
}

}  // namespace tapehead
