#include "train/run/metrics_log.hpp"

#include <fcntl.h>

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/files.hpp"

namespace tapehead {

namespace {

OpenFile open_to_append(const std::filesystem::path& path) {
  return {path, O_WRONLY | O_APPEND | O_CREAT};
}

// A whole line of a step up to `step`, or of no step.
bool is_kept(std::string_view line, Index step) {
  const auto parsed = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!parsed.is_object()) {
    return false;
  }
  const auto found = parsed.find("step");
  return found == parsed.end() || !found->is_number() ||
         found->get<double>() <= static_cast<double>(step);
}

}  // namespace

MetricsLog::MetricsLog(std::filesystem::path path)
    : path_(std::move(path)), file_(open_to_append(path_)) {}

void MetricsLog::write(const nlohmann::ordered_json& line) {
  using Json = nlohmann::ordered_json;
  file_.write(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void MetricsLog::truncate_after(Index step) {
  const std::string content = read_file(path_);
  std::string kept;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) {
      break;  // torn: its end was never written
    }
    const std::string_view line = std::string_view(content).substr(begin, end - begin);
    if (is_kept(line, step)) {
      kept.append(line).append(1, '\n');
    }
    begin = end + 1;
  }
  if (kept != content) {
    write_file_atomically(path_, kept);
    file_ = open_to_append(path_);
  }
}

}  // namespace tapehead
