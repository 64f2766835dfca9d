// The record of a run, record.json: where its options came from, on what it was started each time,
// and what its tests said at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/types.hpp"

namespace tapehead {

// One start of the program, the first or one that resumed.
struct RunStart {
  Index step = 0;  // from which it went on
  std::string version;
  std::string processor;
  std::string kernels;  // of OpenBLAS
  Index threads = 0;
};

// The end that a run came to by itself, not by a signal.
struct RunConclusion {
  Index step = 0;
  double seconds = 0;                                               // of training
  nlohmann::ordered_json tests = nlohmann::ordered_json::object();  // each split's metrics
};

struct RunRecord {
  std::map<std::string, std::string> origins;  // as LoadedConfig has them, at the first start
  std::vector<RunStart> starts;
  // Bytes that a start which came to the end had resident at most; not in records of older
  // versions.
  std::optional<std::size_t> peak_memory{};
  std::optional<RunConclusion> end;
};

// Nothing where there is no record, and, with a warning, where it cannot be read: a run can be used
// without.
std::optional<RunRecord> read_record(const std::filesystem::path& file);

// Throws IoError.
void write_record(const std::filesystem::path& file, const RunRecord& record);

// As the system names it; "unknown" where it does not.
std::string processor_name();

}  // namespace tapehead
