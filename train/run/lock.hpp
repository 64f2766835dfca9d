// The lock of a run directory: one process writes there, and when it dies, however it dies, the
// lock is gone.
#pragma once

#include <filesystem>

#include "core/files/open_file.hpp"

namespace tapehead {

class RunLock {
 public:
  // Takes the lock of the run directory that `file` lies in; the file itself stays for ever. Throws
  // IoError that names the process that holds it.
  explicit RunLock(const std::filesystem::path& file);

 private:
  OpenFile file_;  // flock(2) belongs to the open file, which the kernel closes with its process
};

// Throws the same error when a process holds the lock, and does nothing otherwise.
void expect_unlocked(const std::filesystem::path& file);

// Whether a file was made by RunLock.
bool is_run_lock(const std::filesystem::path& file);

}  // namespace tapehead
