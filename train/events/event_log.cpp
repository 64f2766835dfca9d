#include "train/events/event_log.hpp"

#include <chrono>

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include "train/events/event.hpp"

namespace tapehead {

namespace {

std::vector<fs::path> event_files(const fs::path& directory) {
  std::vector<fs::path> files = entries_of(directory);
  std::erase_if(files, [](const fs::path& file) {
    return !file.filename().string().starts_with(event_file_prefix);
  });
  std::ranges::sort(files);
  return files;
}

EventTime now(Index step) {
  const std::chrono::duration<double> time = std::chrono::system_clock::now().time_since_epoch();
  return {.seconds = time.count(), .step = step};
}

}  // namespace

fs::path next_event_file(const fs::path& directory) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  fs::path path = directory / fmt::format("{}{}", event_file_prefix, time.count());
  const std::vector<fs::path> files = event_files(directory);
  if (!files.empty() && path <= files.back()) {
    path = files.back().string() + "+";  // the clock was set back
  }
  return path;
}

void truncate_event_files(const fs::path& directory, Index step) {
  const auto is_later = [step](std::string_view event) {
    return step_of_event(event).value_or(0) > step;
  };
  for (const fs::path& path : event_files(directory)) {
    const std::string content = read_file(path);
    const Records records = read_records(content);
    if (records.damaged) {
      spdlog::warn("{}: an event is damaged; this event and all that follow are left out",
                   path.string());
    }
    // The second event of a file is its start. If the start is of a later step, so are all metrics,
    // and the next file will contain the config again.
    const std::span events(records.contents);
    const bool starts_later = events.size() >= 2 && is_later(events[1]);
    std::string kept;
    for (const std::string_view event : events.first(starts_later ? 1 : events.size())) {
      if (!is_later(event)) {
        kept += to_record(event);
      }
    }
    if (kept != content) {
      write_file_atomically(path, kept);
    }
  }
}

EventLog::EventLog(fs::path directory, Index step, std::string config)
    : directory_(std::move(directory)), step_(step), config_(std::move(config)) {}

void EventLog::write(const Json& line, const std::vector<std::string>& samples) {
  const std::string group = line.value("split", "train") + "/";
  WireMessage summary;
  for (const auto& [name, value] : line.items()) {
    if (value.is_number() && name != "step") {
      add_scalar(summary, group + name, value.get<double>());
    }
  }
  if (!samples.empty()) {
    add_texts(summary, group + "samples", samples);
  }
  if (!file_) {
    WireMessage config;
    add_texts(config, "config", {&config_, 1});
    const fs::path path = next_event_file(directory_);
    file_.emplace(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
    sync_directory_of(path);
    file_->write(to_record(format_event(now(0))) + to_record(start_event(now(step_ + 1))) +
                 to_record(summary_event(now(step_), config)));
  }
  file_->write(to_record(summary_event(now(line.at("step").get<Index>()), summary)));
}

void EventLog::sync() {
  if (file_) {
    file_->sync();
  }
}

}  // namespace tapehead
