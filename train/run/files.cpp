#include "train/run/files.hpp"

#include <system_error>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "train/run/lock.hpp"

namespace tapehead {

namespace fs = std::filesystem;

bool is_run(const fs::path& directory) {
  const RunFiles files{directory};
  std::error_code ignored;
  return is_run_lock(files.lock()) || (fs::is_regular_file(files.config(), ignored) &&
                                       fs::is_directory(files.checkpoints(), ignored));
}

RunFiles find_run(const fs::path& directory) {
  std::error_code ignored;
  if (!fs::exists(directory, ignored)) {
    throw IoError(fmt::format("there is no run {}", directory.string()));
  }
  const RunFiles files{directory};
  if (!fs::is_regular_file(files.config(), ignored)) {
    throw IoError(fmt::format(
        "{} is not a run: it has no config.yaml{}", directory.string(),
        is_run_lock(files.lock())
            ? "; the command that makes it was stopped before its end, so repeat that command"
            : ""));
  }
  return files;
}

}  // namespace tapehead
