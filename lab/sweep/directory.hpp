// The directory of a sweep, where one process at a time writes: its lock, its plan, and the files
// that a sweep reads.
#pragma once

#include "core/files/input_output.hpp"
#include "lab/sweep/plan.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

class SweepDirectory {
 public:
  // Creates it, or opens it again. Throws IoError if it contains something else or is in use.
  explicit SweepDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  RunLock lock_;
};

// Whether a process is running this sweep.
bool is_in_use(const std::filesystem::path& directory);

// Whether a process has the lock of a sweep or a run.
bool is_locked(const std::filesystem::path& lock);

// File systems of networks remember for up to a minute that something was not there, but not after
// the directory has been opened, as here (close-to-open consistency of NFS).
void look_again(const std::filesystem::path& directory);

// Waits as long as a killed sweep may need to save its runs; then throws as expect_unlocked().
void wait_for_lock(const std::filesystem::path& lock);

// The plan as the directory of a sweep stores it, in sweep.json, for later commands.

// Whether a directory is a sweep's.
bool is_sweep(const std::filesystem::path& directory);

// Throws IoError.
void write_sweep_plan(const std::filesystem::path& directory, const SweepPlan& plan);

// The config of each run is the one in the run's directory, or the defaults if the run has not
// started. Throws IoError for a plan that does not exist or is invalid.
SweepPlan read_sweep_plan(const std::filesystem::path& directory);

// The files from which a page about the sweep is made: its own, and those of its runs.
InputFiles inputs_of_sweep(const std::filesystem::path& directory);

// The files that the sweep of a file reads: the file, its config, and what the trainings read.
InputFiles inputs_of_sweep(const std::filesystem::path& file, const SweepPlan& plan);

// Throws IoError if the sweep would overwrite one of the inputs with a file in its directory.
void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const std::filesystem::path& directory);

}  // namespace tapehead
