// The directory of a sweep, where only one process at a time writes: its lock, its plan, and the
// lists of files that a sweep reads.
#pragma once

#include "lab/sweep/plan.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// Creates or reopens the directory. Throws IoError if it contains something else or is in use.
RunLock lock_sweep(const std::filesystem::path& directory);

// Whether a process is running the sweep in this directory.
bool is_in_use(const std::filesystem::path& directory);

// Whether a process holds this lock of a sweep or a run.
bool is_locked(const std::filesystem::path& lock);

// Network file systems may remember for a minute that a file did not exist. Opening the directory,
// as done here, ends this (close-to-open consistency of NFS).
void look_again(const std::filesystem::path& directory);

// Waits as long as a killed sweep may need to save its runs. Then throws like expect_unlocked().
void wait_for_lock(const std::filesystem::path& lock);

// A sweep's plan is stored as sweep.json in the sweep's directory, for later commands.

// Whether a directory is the directory of a sweep.
bool is_sweep(const std::filesystem::path& directory);

// Throws IoError.
void write_sweep_plan(const std::filesystem::path& directory, const SweepPlan& plan);

// The config of each run comes from the run's directory; it is the default config if the run has
// not started. Throws IoError for a plan that does not exist or is invalid.
SweepPlan read_sweep_plan(const std::filesystem::path& directory);

// The files from which a page about the sweep is made: files of the sweep and of its runs.
InputFiles inputs_of_sweep(const std::filesystem::path& directory);

// The files that a sweep reads: the sweep file, its config, and all inputs of the trainings.
InputFiles inputs_of_sweep(const std::filesystem::path& file, const SweepPlan& plan);

// Throws IoError if a file of the sweep's directory would overwrite one of the inputs.
void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const std::filesystem::path& directory);

}  // namespace tapehead
