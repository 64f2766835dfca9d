#include "train/run/run_record.hpp"

#include <fcntl.h>

#include <fstream>
#include <sstream>

#include <spdlog/spdlog.h>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

Json json_of(const RunStart& start) {
  Json json = {{"step", start.step},   {"version", start.version}, {"processor", start.processor},
               {"level", start.level}, {"kernels", start.kernels}, {"threads", start.threads}};
  if (start.ranks > 1) {
    json["ranks"] = start.ranks;
  }
  return json;
}

RunStart start_of(const Json& json, const std::string& where) {
  const JsonObject start(json, where);
  return {.step = start.count("step"),
          .version = start.text("version"),
          .processor = start.text("processor"),
          .level = json.contains("level") ? start.text("level") : "",
          .kernels = start.text("kernels"),
          .threads = start.count("threads", 1),
          .ranks = json.contains("ranks") ? start.count("ranks", 1) : 1};
}

// Whether it is {"classes": [...], "counts": [[...], ...]} with a row and a column per class.
bool is_confusion(const Json& json) {
  if (!json.is_object() || json.size() != 2 || !json.contains("classes") ||
      !json.contains("counts")) {
    return false;
  }
  const Json& classes = json.at("classes");
  const Json& counts = json.at("counts");
  const auto is_row = [&](const Json& row) {
    return row.is_array() && row.size() == classes.size() &&
           std::ranges::all_of(row, &Json::is_number_unsigned);
  };
  return classes.is_array() && std::ranges::all_of(classes, &Json::is_string) &&
         counts.is_array() && counts.size() == classes.size() &&
         std::ranges::all_of(counts, is_row);
}

// A number, null (not finite), a text, or a list of tables of these.
bool is_figure(const Json& json) {
  const auto is_table = [](const Json& row) {
    return row.is_object() && std::ranges::all_of(row, &Json::is_primitive);
  };
  return json.is_primitive() || (json.is_array() && std::ranges::all_of(json, is_table));
}

// The test metrics of each split.
Json tests_of(const JsonObject& end, const std::string& where) {
  const Json& tests = end.member("tests");
  bool plain = tests.is_object();
  for (const Json& split : tests) {
    plain = plain && split.is_object();
    for (const auto& [name, figure] : split.items()) {
      plain = plain && (name == "confusion" ? is_confusion(figure) : is_figure(figure));
    }
  }
  if (!plain) {
    throw IoError("{}: 'tests' is not a table of figures by split", where);
  }
  return tests;
}

RunRecord record_of(const Json& json, const std::string& where) {
  const JsonObject object(json, where);
  RunRecord record;
  for (const auto& [option, origin] : object.table("origins").items()) {
    if (!origin.is_string()) {
      object.fail("origins", "a table of texts");
    }
    record.origins[option] = origin.get<std::string>();
  }
  for (const Json& start : object.list("starts")) {
    record.starts.push_back(start_of(start, where));
  }
  if (object.has("peak_memory_bytes")) {
    record.peak_memory = static_cast<std::size_t>(object.count("peak_memory_bytes"));
  }
  if (object.has("end")) {
    const JsonObject end(object.member("end"), where);
    record.end = {.step = end.count("step"),
                  .seconds = end.seconds("seconds"),
                  .tests = tests_of(end, where)};
  }
  return record;
}

// The differences that can change the last bits of results, since other kernels round differently.
std::string differences(const RunStart& earlier, const RunStart& later) {
  std::vector<std::string> differing;
  const auto compare = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is && !was.empty()) {
      differing.push_back(fmt::format("{} {} (was {})", what, is, was));
    }
  };
  compare("tapehead", earlier.version, later.version);
  compare("the level of kernels", earlier.level, later.level);
  compare("OpenBLAS kernels for", earlier.kernels, later.kernels);
  return join(differing, ", ");
}

OpenFile open_to_append(const std::filesystem::path& path) {
  return {path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW};
}

// Whether the line has no step or a step up to `step`. Adds the step of a line to `steps`, unless
// the line is of an evaluation. Throws IoError if the line is invalid.
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

// Warns about missing lines: a power loss removes lines that were not yet on the disk.
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

void add_start(RunRecord& record, const RunStart& start,
               const std::map<std::string, std::string>& origins) {
  const bool first = record.starts.empty();
  for (const auto& [option, origin] : origins) {
    if (first || origin == "--set") {
      record.origins[option] = origin;
    }
  }
  const std::string differing = first ? "" : differences(record.starts.back(), start);
  if (!differing.empty()) {
    spdlog::warn("from here on the run is not the same to the bit as one without a break: {}",
                 differing);
  }
  record.starts.push_back(start);
  record.end.reset();
}

std::optional<RunRecord> read_record(const std::filesystem::path& file) {
  if (!std::filesystem::exists(status_of(file))) {
    return std::nullopt;
  }
  try {
    return record_of(parse_json_file(file), file.string());
  } catch (const IoError& error) {
    spdlog::warn("{}; the record is ignored", error.what());
    return std::nullopt;
  }
}

void write_record(const std::filesystem::path& file, const RunRecord& record) {
  Json json = {{"origins", record.origins}, {"starts", Json::array()}};
  for (const RunStart& start : record.starts) {
    json["starts"].push_back(json_of(start));
  }
  if (record.peak_memory) {
    json["peak_memory_bytes"] = *record.peak_memory;
  }
  if (record.end) {
    json["end"] = {
        {"step", record.end->step}, {"seconds", record.end->seconds}, {"tests", record.end->tests}};
  }
  write_file_atomically(file, json_text(json, 2) + '\n');
}

std::string processor_name() {
  constexpr std::string_view key = "model name";
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

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
