// The metrics of a run, metrics.jsonl: one JSON object a line, each safe from a killed process as
// soon as it is written.
#pragma once

#include <filesystem>

#include <nlohmann/json_fwd.hpp>

#include "core/files/open_file.hpp"
#include "core/types.hpp"

namespace tapehead {

class MetricsLog {
 public:
  // Appends to the file, which is made where it is missing. Throws IoError.
  explicit MetricsLog(std::filesystem::path path);

  // One line, in one write. Numbers that are not finite become null, as JSON has none.
  void write(const nlohmann::ordered_json& line);

  // Takes back what a resumed training will write again: lines whose "step" is greater than `step`,
  // a last line that was torn and, with a warning, lines that are damaged. Call it before the first
  // write.
  void truncate_after(Index step);

 private:
  std::filesystem::path path_;
  OpenFile file_;
};

}  // namespace tapehead
