// The records of a run. record.json: the origins of its options, its starts and its test results.
// metrics.jsonl: its metrics, a JSON object per line; a killed process leaves whole lines.
#pragma once

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"

namespace tapehead {

// One start of the program, the first or a resumed one.
struct RunStart {
  Index step = 0;  // the step from which it continued
  std::string version;
  std::string processor;
  std::string level;    // of our own kernels (core/version.hpp); empty in records of older versions
  std::string kernels;  // set of OpenBLAS kernels
  std::string precision = "float32";  // training.precision
  std::string unit{};                 // the kernel for bfloat16; empty: none was needed
  Index threads = 0;                  // of the process that writes the record
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
  // Peak resident memory, in bytes, of a start that reached the end; missing in older records.
  std::optional<std::size_t> peak_memory{};
  std::optional<RunConclusion> end;
};

// Adds a start with its `--set` changes; removes the end. Warns if bits may differ from here on.
void add_start(RunRecord& record, const RunStart& start,
               const std::map<std::string, std::string>& origins);

// nullopt if there is no record or, with a warning, if its text is no record. Throws SystemError if
// it cannot be read.
std::optional<RunRecord> read_record(const fs::path& file);

// Throws IoError.
void write_record(const fs::path& file, const RunRecord& record);

// The processor's name as the system reports it, or "unknown".
std::string processor_name();

class MetricsLog {
 public:
  // Appends to the file, which is created if it is missing. Throws IoError.
  explicit MetricsLog(fs::path path);

  // Writes one line with one write. Numbers that are not finite become null, as JSON has none.
  void write(const Json& line);

  // Returns when all lines are safely on the disk, even against power loss.
  void sync() { file_.sync(); }

  // Before the first write of a resume: removes lines of steps after `step`, an incomplete last
  // line and, with a warning, damaged lines. Warns if a step up to `step` has no line.
  void truncate_after(Index step);

 private:
  fs::path path_;
  OpenFile file_;
};

// Calls `visit` with each valid line of such a file, and `skipped` with the place of each line that
// is damaged or for which `visit` throws IoError. Ignores an incomplete last line. A missing file
// has no lines. Throws IoError if the file cannot be read.
void for_each_line(
    const fs::path& path, const std::function<void(const JsonObject&)>& visit,
    const std::function<void(const std::string& where)>& skipped = [](const std::string&) {});

}  // namespace tapehead
