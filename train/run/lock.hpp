// The lock of a run directory: only one process writes there. When the process ends, in whatever
// way, the lock is released.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/files/open_file.hpp"

namespace tapehead {

// How a message tells the user of a command with `--run` to write elsewhere.
inline constexpr std::string_view another_by_option = "another directory with --run DIR";

class RunLock {
 public:
  // Locks the run directory that contains `file`; the file itself is never removed. Throws IoError
  // that names the process that holds the lock, and `another` as a way out.
  explicit RunLock(const std::filesystem::path& file, std::string_view another = another_by_option);

 private:
  OpenFile file_;  // flock(2) belongs to the open file, which the kernel closes when the process
                   // ends
};

// Throws the same error if a process holds the lock, and does nothing otherwise.
void expect_unlocked(const std::filesystem::path& file,
                     std::string_view another = another_by_option);

// Whether a file was made by RunLock.
bool is_run_lock(const std::filesystem::path& file);

}  // namespace tapehead
