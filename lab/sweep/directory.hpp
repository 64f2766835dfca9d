// The directory of a sweep, where only one process at a time writes: its lock, its plan, and the
// lists of files that a sweep reads.
#pragma once

#include "lab/sweep/plan.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// Creates or reopens the directory. Throws IoError if it contains something else or is in use.
RunLock lock_sweep(const fs::path& directory);

bool is_in_use(const fs::path& directory);  // whether a process is running the sweep in it
bool is_locked(const fs::path& lock);       // whether a process holds this lock of a sweep or a run

// Network file systems may remember for a minute that a file did not exist. Opening the directory,
// as done here, ends this (close-to-open consistency of NFS).
void look_again(const fs::path& directory);

// Waits as long as a killed sweep may need to save its runs. Then throws like expect_unlocked().
void wait_for_lock(const fs::path& lock);

// Whether it has sweep.json, which stores a sweep's plan for later commands.
bool is_sweep(const fs::path& directory);

void write_sweep_plan(const fs::path& directory, const SweepPlan& plan);  // throws IoError

// The config of each run comes from the run's directory; it is the default config if the run has
// not started. Throws IoError for a plan that does not exist or is invalid.
SweepPlan read_sweep_plan(const fs::path& directory);

// The files from which a page about the sweep is made: files of the sweep and of its runs.
InputFiles inputs_of_sweep(const fs::path& directory);

// The files that a sweep reads: the sweep file, its config, and all inputs of the trainings.
InputFiles inputs_of_sweep(const fs::path& file, const SweepPlan& plan);

// Throws IoError if a file of the sweep's directory would overwrite one of the inputs.
void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const fs::path& directory);

}  // namespace tapehead
