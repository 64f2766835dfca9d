// The files of a run: the path of each in the run's directory.
#pragma once

#include <filesystem>

namespace tapehead {

struct RunFiles {
  std::filesystem::path directory;

  std::filesystem::path config() const { return directory / "config.yaml"; }
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
};

// Whether a directory is a run of tapehead. A config.yaml alone is not enough, since other programs
// use this name too.
bool is_run(const std::filesystem::path& directory);

// The files of an existing run, for reading. Throws IoError.
RunFiles find_run(const std::filesystem::path& directory);

}  // namespace tapehead
