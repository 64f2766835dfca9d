// The metrics of a run, metrics.jsonl: a JSON object per line, which a killed process leaves whole.
#pragma once

#include "core/files/json_text.hpp"
#include "core/files/open_file.hpp"

namespace tapehead {

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
