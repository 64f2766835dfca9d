#include "train/run/run_record.hpp"

#include <fcntl.h>

#include <fstream>

#include <spdlog/spdlog.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

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
    const JsonObject one(start, where);
    record.starts.push_back({.step = one.count("step"),
                             .version = one.text("version"),
                             .processor = one.text("processor"),
                             .level = one.has("level") ? one.text("level") : "",
                             .kernels = one.text("kernels"),
                             .precision = one.has("precision") ? one.text("precision") : "float32",
                             .unit = one.has("unit") ? one.text("unit") : "",
                             .threads = one.count("threads", 1),
                             .ranks = one.has("ranks") ? one.count("ranks", 1) : 1});
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

OpenFile open_to_append(const fs::path& path) {
  return {path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW};
}

// Calls visit(JsonObject, line) for whole lines and, for an IoError, failed(error, place).
void visit_lines(const fs::path& path, std::string_view content, const auto& visit,
                 const auto& failed) {
  Index number = 0;
  for (const std::string_view line : text_lines(content.substr(0, content.rfind('\n') + 1))) {
    const std::string where = fmt::format("{}:{}", path.string(), ++number);
    try {
      const Json parsed = parse_json(line, where);
      visit(JsonObject(parsed, where), line);
    } catch (const IoError& error) {
      failed(error, where);
    }
  }
}

// Warns about missing lines: a power loss removes lines that were not yet on the disk.
void say_missing(const fs::path& path, const std::set<Index>& steps, Index all) {
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
  if (!first) {
    // What can change the last bits of results: other kernels round differently.
    std::vector<std::string> differing;
    const auto compare = [&](const char* what, const std::string& was, const std::string& is) {
      if (was != is && !was.empty() && !is.empty()) {
        differing.push_back(fmt::format("{} {} (was {})", what, is, was));
      }
    };
    const RunStart& earlier = record.starts.back();
    compare("tapehead", earlier.version, start.version);
    compare("the level of kernels", earlier.level, start.level);
    compare("OpenBLAS kernels for", earlier.kernels, start.kernels);
    compare("products in", earlier.precision, start.precision);
    compare("products by the kernel", earlier.unit, start.unit);
    if (!differing.empty()) {
      spdlog::warn("from here on the run is not bit-identical to an uninterrupted run: {}",
                   join(differing, ", "));
    }
  }
  record.starts.push_back(start);
  record.end.reset();
}

std::optional<RunRecord> read_record(const fs::path& file) {
  if (!fs::exists(status_of(file))) {
    return std::nullopt;
  }
  try {
    return record_of(parse_json_file(file), file.string());
  } catch (const SystemError&) {
    throw;
  } catch (const IoError& error) {
    spdlog::warn("{}; the record is ignored", error.what());
    return std::nullopt;
  }
}

void write_record(const fs::path& file, const RunRecord& record) {
  Json json = {{"origins", record.origins}, {"starts", Json::array()}};
  for (const RunStart& start : record.starts) {
    Json& one = json["starts"].emplace_back();
    one = {{"step", start.step},   {"version", start.version}, {"processor", start.processor},
           {"level", start.level}, {"kernels", start.kernels}, {"threads", start.threads}};
    if (!start.unit.empty()) {
      one["precision"] = start.precision;
      one["unit"] = start.unit;
    }
    if (start.ranks > 1) {
      one["ranks"] = start.ranks;
    }
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

MetricsLog::MetricsLog(fs::path path) : path_(std::move(path)), file_(open_to_append(path_)) {}

void MetricsLog::write(const Json& line) { file_.write(json_text(line) + '\n'); }

void MetricsLog::truncate_after(Index step) {
  const std::string content = read_file(path_);
  std::string kept;
  std::set<Index> steps;  // of lines that are not of an evaluation
  const auto keep = [&](const JsonObject& object, std::string_view line) {
    const Index of = object.has("step") ? object.count("step") : 0;
    if (of <= step) {
      kept.append(line) += '\n';
    }
    if (of > 0 && of <= step && !object.has("split")) {
      steps.insert(of);
    }
  };
  visit_lines(path_, content, keep, [](const IoError& error, const std::string&) {
    spdlog::warn("{}; the line is left out", error.what());
  });
  say_missing(path_, steps, step);
  if (kept != content) {
    write_file_atomically(path_, kept);
    file_ = open_to_append(path_);
  }
}

void for_each_line(const fs::path& path, const std::function<void(const JsonObject&)>& visit,
                   const std::function<void(const std::string& where)>& skipped) {
  if (status_of(path).type() == fs::file_type::not_found) {
    return;
  }
  visit_lines(
      path, read_file(path), [&](const JsonObject& object, std::string_view) { visit(object); },
      [&](const IoError&, const std::string& where) { skipped(where); });
}

}  // namespace tapehead
