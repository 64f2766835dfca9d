#include "lab/sweep/directory.hpp"

#include <chrono>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

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

bool is_in_use(const fs::path& directory) {
  try {
    expect_unlocked(lock_of(directory));
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
  while (true) {
    try {
      return expect_unlocked(lock);
    } catch (const IoError&) {
      if (std::chrono::steady_clock::now() > end) {
        throw;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace tapehead
