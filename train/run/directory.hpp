// The run directory: created, opened or overwritten, and locked while a training writes to it.
#pragma once

#include <filesystem>
#include <vector>

#include "core/files/input_files.hpp"
#include "train/run/files.hpp"
#include "train/run/lock.hpp"

namespace tapehead {

class RunDirectory {
 public:
  // Throws whatever `create` would throw for this directory, but changes nothing. Call it before
  // long work. Throws IoError.
  static void expect_available(const std::filesystem::path& path, bool overwrite);

  // Throws if `create` would remove one of the inputs, because the run that would be overwritten is
  // also read. Throws IoError.
  static void expect_keeps(const std::filesystem::path& path, const InputFiles& inputs);

  // Creates the directory of a new run. If the directory contains anything, it throws, and the
  // message names the choices. With `overwrite` only the files of a run are removed; a directory
  // that is not a run is rejected. Throws IoError.
  static RunDirectory create(const std::filesystem::path& path, bool overwrite);

  // Opens the directory of a run to continue it, and removes what a killed process left. Throws
  // IoError.
  static RunDirectory open(const std::filesystem::path& path);

  const RunFiles& files() const { return files_; }

 private:
  explicit RunDirectory(const std::filesystem::path& path) : files_{path}, lock_(files_.lock()) {}

  RunFiles files_;
  RunLock lock_;
};

// The existing files of a run, including those in its checkpoints directory, but without its page,
// which can be written again.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& directory);

}  // namespace tapehead
