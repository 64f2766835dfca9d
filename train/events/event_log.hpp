// The event log of a training: its metrics and samples for TensorBoard, in a file of its run.
#pragma once

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"

namespace tapehead {

// How event files' names begin. Readers take the files of a directory in the order of their names.
inline constexpr std::string_view event_file_prefix = "events.out.tfevents.";

// A name for another event file, after those that are there. Throws IoError.
std::filesystem::path next_event_file(const std::filesystem::path& directory);

// Removes what a training that goes on from `step` will write again: events of later steps, an
// incomplete last event and, with a warning, what follows a damaged one. A file of which nothing is
// left stays, because a reader that has it open would not go on to the next file. Throws IoError.
void truncate_event_files(const std::filesystem::path& directory, Index step);

class EventLog {
 public:
  // Of a training that goes on from `step`, in the directory of its run. The file is created with
  // the first line, and begins with the config.
  EventLog(std::filesystem::path directory, Index step, std::string config);

  // Writes one line of the metrics with one write: each of its numbers but the step is a scalar,
  // "train/loss", or "validation/loss" if the line has a split. Throws IoError.
  void write(const Json& line, const std::vector<std::string>& samples = {});

  void sync();  // returns when what was written is on the disk

 private:
  OpenFile begin() const;

  std::filesystem::path directory_;
  Index step_;
  std::string config_;
  std::optional<OpenFile> file_;
};

}  // namespace tapehead
