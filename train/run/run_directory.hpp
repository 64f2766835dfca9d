// The run directory: created, opened or overwritten, and locked while a training writes to it.
#pragma once

#include "core/files/input_files.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

// What a command with `--overwrite` offers besides where a directory is taken, as messages say it.
struct WaysOut {
  std::string_view another = another_by_option;
  bool resume = false;  // it has --resume
};

class RunDirectory {
 public:
  // Throws the IoError that `create` would throw, but changes nothing. Call it before long work.
  static void expect_available(const std::filesystem::path& path, bool overwrite,
                               const WaysOut& ways = {});

  // Throws IoError if `create` would remove one of the inputs, as of a run that is also read.
  static void expect_keeps(const std::filesystem::path& path, const InputFiles& inputs);

  // Creates the directory of a new run. If the directory contains anything, it throws, and the
  // message names the ways out. With `overwrite` only the files of a run are removed; a directory
  // that is not a run is rejected. Throws IoError.
  static RunDirectory create(const std::filesystem::path& path, bool overwrite,
                             const WaysOut& ways = {});

  // Opens a run to continue it, and removes what a killed process left. Throws IoError.
  static RunDirectory open(const std::filesystem::path& path);

  const RunFiles& files() const { return files_; }

 private:
  RunDirectory(const std::filesystem::path& path, std::string_view another)
      : files_{path}, lock_(files_.lock(), another) {}

  RunFiles files_;
  RunLock lock_;
};

// The files of a run and of its checkpoints directory, without the page, which can be made again.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& directory);

}  // namespace tapehead
