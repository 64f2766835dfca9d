// The event log of a training: its metrics and samples for TensorBoard, in an event file of its
// run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/files/open_file.hpp"
#include "core/types.hpp"

namespace tapehead {

class EventLog {
 public:
  // Of a training that goes on from `step`, in the directory of its run. The file is created with
  // the first line, and begins with the config.
  EventLog(std::filesystem::path directory, Index step, std::string config);

  // Writes one line of the metrics with one write: each of its numbers but the step is a scalar,
  // "train/loss", or "validation/loss" if the line has a split. Throws IoError.
  void write(const nlohmann::ordered_json& line, const std::vector<std::string>& samples = {});

  void sync();  // returns when what was written is on the disk

 private:
  OpenFile begin() const;

  std::filesystem::path directory_;
  Index step_;
  std::string config_;
  std::optional<OpenFile> file_;
};

}  // namespace tapehead
