// The run directory: made, found again or overwritten, and held by a lock while a training writes
// to it.
#pragma once

#include <filesystem>
#include <vector>

#include "core/files/input_files.hpp"
#include "train/run/files.hpp"
#include "train/run/lock.hpp"

namespace tapehead {

class RunDirectory {
 public:
  // Refuses what `create` would refuse, and touches nothing: to be asked before long work. Throws
  // IoError.
  static void expect_available(const std::filesystem::path& path, bool overwrite);

  // Refuses to overwrite a run with what is read from it: `create` would remove one of the inputs.
  // Throws IoError.
  static void expect_keeps(const std::filesystem::path& path, const InputFiles& inputs);

  // Makes the directory of a new run. One that holds anything is refused with the choices there
  // are; with `overwrite` the files of a run are removed from it, and nothing else: a directory
  // that is no run is refused. Throws IoError.
  static RunDirectory create(const std::filesystem::path& path, bool overwrite);

  // Opens the directory of a run to go on with it, and clears what a killed process left. Throws
  // IoError.
  static RunDirectory open(const std::filesystem::path& path);

  const RunFiles& files() const { return files_; }

 private:
  explicit RunDirectory(const std::filesystem::path& path) : files_{path}, lock_(files_.lock()) {}

  RunFiles files_;
  RunLock lock_;
};

// The files of a run that are there, those in its checkpoints too, but not its page, which can be
// written again.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& directory);

}  // namespace tapehead
