// The directory of a sweep: its runs lie in it, and one process at a time writes there.
#pragma once

#include <filesystem>

#include "train/run/lock.hpp"

namespace tapehead {

class SweepDirectory {
 public:
  // Makes it, or finds it again. Throws IoError for one that holds something else, or is in use.
  explicit SweepDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  RunLock lock_;
};

// Whether a process sweeps into it.
bool is_in_use(const std::filesystem::path& directory);

// Waits for as long as processes of a sweep that was killed may need to save their run; then throws
// the error of `expect_unlocked`.
void wait_for_lock(const std::filesystem::path& lock);

}  // namespace tapehead
