// The record of a run, record.json: the origins of its options, its starts, and its test results.
#pragma once

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

}  // namespace tapehead
