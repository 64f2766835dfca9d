#include "train/run/metrics_log.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <sstream>

#include "core/files/files.hpp"

namespace tapehead {

namespace {

OpenFile open_to_append(const std::filesystem::path& path) {
  return {path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW};
}

// Whether the line is of a step up to `step`, or of no step. Adds the step to those that have a
// line; that of an evaluation does not count. Throws IoError if it is not a valid line.
bool is_kept(std::string_view line, Index step, const std::string& where, std::set<Index>& steps) {
  const auto parsed = parse_json(line, where);
  const JsonObject object(parsed, where);
  if (!object.has("step")) {
    return true;
  }
  const Index of = object.count("step");
  const bool kept = of <= step;
  if (kept && of > 0 && !object.has("split")) {
    steps.insert(of);
  }
  return kept;
}

// A power loss takes lines that were not on the disk yet.
void say_missing(const std::filesystem::path& path, const std::set<Index>& steps, Index all) {
  const Index missing = all - std::ssize(steps);
  if (missing == 0) {
    return;
  }
  Index first = 1;
  while (steps.contains(first)) {
    ++first;
  }
  spdlog::warn(
      "{}: the lines of {} of {} steps are missing (the first: step {}); pages and curves leave "
      "them out",
      path.string(), missing, all, first);
}

}  // namespace

MetricsLog::MetricsLog(std::filesystem::path path)
    : path_(std::move(path)), file_(open_to_append(path_)) {}

void MetricsLog::write(const Json& line) { file_.write(json_text(line) + '\n'); }

void MetricsLog::truncate_after(Index step) {
  const std::string content = read_file(path_);
  std::string kept;
  Index number = 0;
  std::set<Index> steps;
  std::istringstream stream(content);
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    try {
      if (is_kept(line, step, fmt::format("{}:{}", path_.string(), ++number), steps)) {
        kept += line + '\n';
      }
    } catch (const IoError& error) {
      spdlog::warn("{}; the line is left out", error.what());
    }
  }
  say_missing(path_, steps, step);
  if (kept != content) {
    write_file_atomically(path_, kept);
    file_ = open_to_append(path_);
  }
}

void for_each_line(const std::filesystem::path& path,
                   const std::function<void(const JsonObject&)>& visit,
                   const std::function<void(const std::string& where)>& skipped) {
  if (status_of(path).type() == std::filesystem::file_type::not_found) {
    return;
  }
  std::istringstream stream(read_file(path));
  Index number = 0;
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    const std::string where = fmt::format("{}:{}", path.string(), ++number);
    try {
      const auto parsed = parse_json(line, where);
      visit(JsonObject(parsed, where));
    } catch (const IoError&) {
      skipped(where);
    }
  }
}

}  // namespace tapehead
