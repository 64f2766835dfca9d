#include "lab/sweep/run_progress.hpp"

#include <fstream>
#include <system_error>

#include "core/files/json_text.hpp"

namespace tapehead {

const RunProgress& RunWatch::look() {
  std::error_code error;
  const auto size = std::filesystem::file_size(file_, error);
  progress_.readable = !error || error == std::errc::no_such_file_or_directory;
  if (error) {
    return progress_;
  }
  if (static_cast<std::streamoff>(size) < read_) {
    read_ = 0;  // a resumed training has removed lines
  }
  std::ifstream stream(file_, std::ios::binary);
  stream.seekg(read_);
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) {  // eof: the line is not complete yet
    take(line);
    read_ += static_cast<std::streamoff>(line.size()) + 1;
  }
  progress_.readable = !stream.bad();
  return progress_;
}

void RunWatch::take(std::string_view line) {
  Json json;
  try {
    json = parse_json(line, file_.string());
  } catch (const IoError&) {
    return;  // whoever reads the whole file tells it
  }
  if (!json.is_object()) {
    return;
  }
  const auto number = [&](std::string_view name) -> std::optional<double> {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
  };
  if (json.contains("split")) {
    progress_.metric = number(kind_of(metric_).name);
    return;
  }
  progress_.step = count_in(json, "step").value_or(0);
  progress_.epoch = count_in(json, "epoch").value_or(0);
  progress_.loss = number("loss");
}

std::string progress_text(const RunProgress& progress, const TrainingOptions& training) {
  if (training.steps) {
    return fmt::format("step {}/{}", progress.step, *training.steps);
  }
  if (training.epochs) {
    const Index epoch = std::min(progress.epoch + 1, *training.epochs);
    return fmt::format("epoch {}/{}", epoch, *training.epochs);
  }
  return fmt::format("step {}", progress.step);
}

}  // namespace tapehead
