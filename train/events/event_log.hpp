// Writes the metrics and samples of a training for TensorBoard, to a file of its run.
#pragma once

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"

namespace tapehead {

// The prefix of event files' names. Readers take a directory's files in the order of their names.
inline constexpr std::string_view event_file_prefix = "events.out.tfevents.";

// The name of a new event file, sorted after the existing ones. Throws IoError.
fs::path next_event_file(const fs::path& directory);

// Removes what a training that resumes at `step` will write again: events of later steps, an
// incomplete last event and, with a warning, a damaged event and all after it. Keeps empty files: a
// reader that has one open would otherwise not go on to the next file. Throws IoError.
void truncate_event_files(const fs::path& directory, Index step);

class EventLog {
 public:
  // For a training that begins or resumes at `step`, in its run directory. The first `write`
  // creates the file, which begins with `config`.
  EventLog(fs::path directory, Index step, std::string config);

  // Writes one line of metrics with one write: each number except the step becomes a scalar, such
  // as "train/loss", or "validation/loss" if the line's split is validation. Throws IoError.
  void write(const Json& line, const std::vector<std::string>& samples = {});

  void sync();  // returns when all events are on the disk

 private:
  fs::path directory_;
  Index step_;
  std::string config_;
  std::optional<OpenFile> file_;
};

}  // namespace tapehead
