#include "train/run/run_record.hpp"

#include <fstream>

#include "core/errors.hpp"
#include "core/files.hpp"

namespace tapehead {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const RunStart& start) {
  return {{"step", start.step},
          {"version", start.version},
          {"processor", start.processor},
          {"kernels", start.kernels},
          {"threads", start.threads}};
}

RunStart start_of(const Json& json) {
  return {.step = json.at("step"),
          .version = json.at("version"),
          .processor = json.at("processor"),
          .kernels = json.at("kernels"),
          .threads = json.at("threads")};
}

RunRecord record_of(const Json& json) {
  RunRecord record{.origins = json.at("origins"), .starts = {}, .peak_memory = {}, .end = {}};
  for (const Json& start : json.at("starts")) {
    record.starts.push_back(start_of(start));
  }
  if (json.contains("peak_memory_bytes")) {
    record.peak_memory = json.at("peak_memory_bytes").get<std::size_t>();
  }
  if (json.contains("end")) {
    const Json& end = json.at("end");
    record.end = {.step = end.at("step"), .seconds = end.at("seconds"), .tests = end.at("tests")};
  }
  return record;
}

}  // namespace

std::optional<RunRecord> read_record(const std::filesystem::path& file) {
  try {
    return record_of(Json::parse(read_file(file)));
  } catch (const IoError&) {
    return std::nullopt;
  } catch (const Json::exception&) {
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
  write_file_atomically(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
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

}  // namespace tapehead
