// What a run records of itself. record.json: the origins of its options, its starts, and its test
// results; metrics.jsonl: its metrics, a JSON object per line, which a killed process leaves whole.
#pragma once

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"

namespace tapehead {

// One start of the program, the first or one that resumed.
struct RunStart {
  Index step = 0;  // the step from which it continued
  std::string version;
  std::string processor;
  std::string level;    // of our own kernels (core/version.hpp); empty in records of older versions
  std::string kernels;  // of OpenBLAS
  Index threads = 0;    // of the process that writes it
  Index ranks = 1;
};

// The end of a run that was not stopped by a signal.
struct RunConclusion {
  Index step = 0;
  double seconds = 0;           // of training
  Json tests = Json::object();  // the metrics of each split
};

struct RunRecord {
  std::map<std::string, std::string> origins;  // as in LoadedConfig, at the first start
  std::vector<RunStart> starts;
  // The most resident memory, in bytes, of a start that reached the end; not in older records.
  std::optional<std::size_t> peak_memory{};
  std::optional<RunConclusion> end;
};

// The run has no end any more, and includes changes by `--set`. Warns if bits change from here on.
void add_start(RunRecord& record, const RunStart& start,
               const std::map<std::string, std::string>& origins);

// Nothing if there is no record or, with a warning, if it cannot be read.
std::optional<RunRecord> read_record(const std::filesystem::path& file);

// Throws IoError.
void write_record(const std::filesystem::path& file, const RunRecord& record);

// As the system reports it; "unknown" if it does not.
std::string processor_name();

class MetricsLog {
 public:
  // Appends to the file, which is created if it is missing. Throws IoError.
  explicit MetricsLog(std::filesystem::path path);

  // Writes one line with one write. Numbers that are not finite become null, since JSON has none.
  void write(const Json& line);

  // Returns when all lines are on the disk, which even a power loss leaves.
  void sync() { file_.sync(); }

  // Removes what a resumed training will write again: lines whose "step" is greater than `step`, an
  // incomplete last line and, with a warning, damaged lines. Warns of steps up to `step` that have
  // no line. Call it before the first write.
  void truncate_after(Index step);

 private:
  std::filesystem::path path_;
  OpenFile file_;
};

// Calls `visit` with each valid line of such a file, and `skipped` with the place of each that is
// damaged or for which `visit` throws IoError. An incomplete last line is left out; a file that is
// missing has no lines. Throws IoError if the file cannot be read.
void for_each_line(
    const std::filesystem::path& path, const std::function<void(const JsonObject&)>& visit,
    const std::function<void(const std::string& where)>& skipped = [](const std::string&) {});

}  // namespace tapehead
