#include "train/events/event_log.hpp"

#include <fcntl.h>

#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/files/atomic_file.hpp"
#include "train/events/event.hpp"
#include "train/events/event_files.hpp"
#include "train/events/records.hpp"

namespace tapehead {

namespace {

EventTime now(Index step) {
  const std::chrono::duration<double> time = std::chrono::system_clock::now().time_since_epoch();
  return {.seconds = time.count(), .step = step};
}

}  // namespace

EventLog::EventLog(std::filesystem::path directory, Index step, std::string config)
    : directory_(std::move(directory)), step_(step), config_(std::move(config)) {}

OpenFile EventLog::begin() const {
  Summary config;
  config.add_texts("config", {&config_, 1});
  const std::filesystem::path path = next_event_file(directory_);
  OpenFile file(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
  sync_directory_of(path);
  file.write(to_record(format_event(now(0))) + to_record(start_event(now(step_ + 1))) +
             to_record(summary_event(now(step_), config)));
  return file;
}

void EventLog::write(const nlohmann::ordered_json& line, const std::vector<std::string>& samples) {
  const std::string group = line.value("split", "train") + "/";
  Summary summary;
  for (const auto& [name, value] : line.items()) {
    if (value.is_number() && name != "step") {
      summary.add_scalar(group + name, value.get<double>());
    }
  }
  if (!samples.empty()) {
    summary.add_texts(group + "samples", samples);
  }
  if (!file_) {
    file_ = begin();
  }
  file_->write(to_record(summary_event(now(line.at("step").get<Index>()), summary)));
}

void EventLog::sync() {
  if (file_) {
    file_->sync();
  }
}

}  // namespace tapehead
