// The run directory: its files; how it is created, opened or overwritten; its lock while in use.
#pragma once

#include "core/files/files.hpp"
#include "core/files/input_output.hpp"

namespace tapehead {

// How an error advises a user to choose another directory with `--run`.
inline constexpr std::string_view another_by_option = "another directory with --run DIR";

// The lock of a run directory, so that only one process writes there; released when that ends.
class RunLock {
 public:
  // Locks the run directory that contains `file`, which is never removed. Throws IoError that names
  // the process with the lock, and advises to use `another`.
  explicit RunLock(const std::filesystem::path& file, std::string_view another = another_by_option);

 private:
  OpenFile file_;  // holds the flock(2); the kernel closes it when the process ends
};

// Throws the same error if a process holds the lock.
void expect_unlocked(const std::filesystem::path& file,
                     std::string_view another = another_by_option);

// Whether RunLock created the file.
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

  // Files with weights only: the best by the chosen metric, and the mean of the latest ones.
  std::filesystem::path best() const { return checkpoints() / "best.safetensors"; }
  std::filesystem::path average() const { return checkpoints() / "average.safetensors"; }
};

// Whether a directory is a run. A config.yaml alone is not enough: other programs have one too.
bool is_run(const std::filesystem::path& directory);

// The files of an existing run, for reading. Throws IoError.
RunFiles find_run(const std::filesystem::path& directory);

// Removes a file of a run, if it is there. Throws IoError.
void remove_file(const std::filesystem::path& file);

// The advice in an error about a directory that exists, for commands with `--overwrite`.
struct WaysOut {
  std::string_view another = another_by_option;
  bool resume = false;  // the command has --resume
};

class RunDirectory {
 public:
  // Throws the IoError that `create` would throw, without changes. Call it before long work.
  static void expect_available(const std::filesystem::path& path, bool overwrite,
                               const WaysOut& ways = {});

  // Throws IoError if `create` would remove one of the inputs, such as a run that is also read.
  static void expect_keeps(const std::filesystem::path& path, const InputFiles& inputs);

  // Creates the directory of a new run. With `overwrite`, removes only the files of a run, and
  // rejects a directory that is not a run. Otherwise throws if the directory is not empty. The
  // message gives the user's options. Throws IoError.
  static RunDirectory create(const std::filesystem::path& path, bool overwrite,
                             const WaysOut& ways = {});

  // Opens a run to continue it, and removes temporary files of a killed process. Throws IoError.
  static RunDirectory open(const std::filesystem::path& path);

  const RunFiles& files() const { return files_; }

 private:
  RunDirectory(const std::filesystem::path& path, std::string_view another)
      : files_{path}, lock_(files_.lock(), another) {}

  RunFiles files_;
  RunLock lock_;
};

// The files of a run and of its checkpoints directory, except the page, which can be created again.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& directory);

}  // namespace tapehead
