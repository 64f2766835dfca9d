// The run directory: its files; how it is created, opened or overwritten; its lock while in use.
#pragma once

#include "core/files/files.hpp"
#include "core/files/input_output.hpp"

namespace tapehead {

// How an error advises a user to choose another directory with `--run`.
inline constexpr std::string_view another_by_option = "another directory with --run DIR";

// The lock of a run directory: only one process writes there. Released when the process ends.
class RunLock {
 public:
  // Locks the run directory that contains `file`, which is never removed. Throws IoError that names
  // the process with the lock, and advises to use `another`.
  explicit RunLock(const fs::path& file, std::string_view another = another_by_option);

 private:
  OpenFile file_;  // holds the flock(2); the kernel closes it when the process ends
};

// Throws the same error if a process holds the lock.
void expect_unlocked(const fs::path& file, std::string_view another = another_by_option);

// Whether RunLock created the file.
bool is_run_lock(const fs::path& file);

struct RunFiles {
  fs::path directory;

  fs::path config() const { return directory / "config.yaml"; }
  fs::path written() const { return directory / "written.yaml"; }
  fs::path data() const { return directory / "data.json"; }
  fs::path metrics() const { return directory / "metrics.jsonl"; }
  fs::path times() const { return directory / "times.jsonl"; }
  fs::path record() const { return directory / "record.json"; }
  fs::path report() const { return directory / "report.html"; }
  fs::path scores() const { return directory / "scores.jsonl"; }
  fs::path log() const { return directory / "log.txt"; }
  fs::path replay() const { return directory / "replay.safetensors"; }
  fs::path lock() const { return directory / ".lock"; }
  fs::path checkpoints() const { return directory / "checkpoints"; }

  // Files with weights only: the best by the chosen metric, and the mean of the latest ones.
  fs::path best() const { return checkpoints() / "best.safetensors"; }
  fs::path average() const { return checkpoints() / "average.safetensors"; }
};

// Whether a directory is a run. A config.yaml alone is not enough: other programs have one too.
bool is_run(const fs::path& directory);

// The files of an existing run, for reading. Throws IoError.
RunFiles find_run(const fs::path& directory);

// Removes a file of a run, if it is there. Throws IoError.
void remove_file(const fs::path& file);

// The advice in an error about a directory that exists, for commands with `--overwrite`.
struct WaysOut {
  std::string_view another = another_by_option;
  bool resume = false;  // the command has --resume
};

class RunDirectory {
 public:
  // Throws the IoError that `create` would throw, without changes. Call it before long work.
  static void expect_available(const fs::path& path, bool overwrite, const WaysOut& ways = {});

  // Throws IoError if `create` would remove one of the inputs, such as a run that is also read.
  static void expect_keeps(const fs::path& path, const InputFiles& inputs);

  // Creates the directory of a new run. `path` is missing or empty or, with `overwrite`, another
  // run: then only the files of a run are removed. Throws IoError with the user's options.
  static RunDirectory create(const fs::path& path, bool overwrite, const WaysOut& ways = {});

  // Opens a run to continue it, and removes temporary files of a killed process. Throws IoError.
  static RunDirectory open(const fs::path& path);

  const RunFiles& files() const { return files_; }

 private:
  RunDirectory(const fs::path& path, std::string_view another)
      : files_{path}, lock_(files_.lock(), another) {}

  RunFiles files_;
  RunLock lock_;
};

// The files of a run and of its checkpoints directory, except the page, which can be created again.
std::vector<fs::path> files_of_run(const fs::path& directory);

}  // namespace tapehead
