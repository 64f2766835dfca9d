#include "lab/sweep/directory.hpp"

#include <chrono>
#include <system_error>
#include <thread>

#include "core/files/files.hpp"
#include "train/loop/run_inputs.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 5> result_files{"sweep.json", "results.json", "runs.csv",
                                                  "cells.csv", "report.html"};

fs::path lock_of(const fs::path& directory) { return directory / ".sweep.lock"; }

fs::path prepared(const fs::path& directory) {
  std::error_code ignored;
  if (fs::exists(directory, ignored) && !is_run_lock(lock_of(directory)) &&
      !fs::is_empty(directory, ignored)) {
    throw IoError(
        fmt::format("{} contains something that is not a sweep, so nothing is written there; "
                    "choose another directory with --run DIR",
                    directory.string()));
  }
  make_directories(directory);
  return directory;
}

}  // namespace

SweepDirectory::SweepDirectory(const fs::path& path) : path_(prepared(path)), lock_(lock_of(path)) {
  remove_temporary_files(path);
}

bool is_in_use(const fs::path& directory) { return is_locked(lock_of(directory)); }

bool is_locked(const fs::path& lock) {
  try {
    expect_unlocked(lock);
    return false;
  } catch (const IoError&) {
    return true;
  }
}

void look_again(const fs::path& directory) {
  std::error_code ignored;
  fs::directory_iterator(directory, ignored);
}

void wait_for_lock(const fs::path& lock) {
  constexpr std::chrono::seconds patience(20);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (is_locked(lock) && std::chrono::steady_clock::now() <= end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  expect_unlocked(lock);
}

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
