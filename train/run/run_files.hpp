// The files of a run: the path of each in the run's directory.
#pragma once

#include "core/files/open_file.hpp"

namespace tapehead {

// How a message tells the user of a command with `--run` to write elsewhere.
inline constexpr std::string_view another_by_option = "another directory with --run DIR";

// The lock of a run directory: only one process writes there. The end of the process
// releases it.
class RunLock {
 public:
  // Locks the run directory that contains `file`; the file itself is never removed. Throws IoError
  // that names the process that holds the lock, and `another` as a way out.
  explicit RunLock(const std::filesystem::path& file, std::string_view another = another_by_option);

 private:
  OpenFile file_;  // holds the flock(2); the kernel closes it when the process ends
};

// Throws the same error if a process holds the lock, and does nothing otherwise.
void expect_unlocked(const std::filesystem::path& file,
                     std::string_view another = another_by_option);

// Whether a file was made by RunLock.
bool is_run_lock(const std::filesystem::path& file);

struct RunFiles {
  std::filesystem::path directory;

  std::filesystem::path config() const { return directory / "config.yaml"; }
  std::filesystem::path written() const { return directory / "written.yaml"; }
  std::filesystem::path data() const { return directory / "data.json"; }
  std::filesystem::path metrics() const { return directory / "metrics.jsonl"; }
  std::filesystem::path times() const { return directory / "times.jsonl"; }
  std::filesystem::path record() const { return directory / "record.json"; }
  std::filesystem::path report() const { return directory / "report.html"; }
  std::filesystem::path scores() const { return directory / "scores.jsonl"; }
  std::filesystem::path log() const { return directory / "log.txt"; }
  std::filesystem::path replay() const { return directory / "replay.safetensors"; }
  std::filesystem::path lock() const { return directory / ".lock"; }
  std::filesystem::path checkpoints() const { return directory / "checkpoints"; }

  // Files with weights only: the best by the chosen metric, and the mean of the last ones.
  std::filesystem::path best() const { return checkpoints() / "best.safetensors"; }
  std::filesystem::path average() const { return checkpoints() / "average.safetensors"; }
};

// Whether a directory is a run. A config.yaml alone is not enough: other programs have one too.
bool is_run(const std::filesystem::path& directory);

// The files of an existing run, for reading. Throws IoError.
RunFiles find_run(const std::filesystem::path& directory);

}  // namespace tapehead
