// The config writer: every option as a line of YAML.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

struct Line {
  std::string text;
  std::string option{};  // full name; empty for a section's heading and for a line between sections
};

std::vector<Line> lines_of(Config config) {
  std::vector<Line> lines;
  for (const Section& section : sections(config)) {
    if (!section.name.empty()) {
      lines.push_back({});
      lines.push_back({.text = fmt::format("{}:", section.name)});
    }
    const char* indent = section.name.empty() ? "" : "  ";
    for (const Row& row : section.rows) {
      lines.push_back({.text = fmt::format("{}{}: {}", indent, row.field.name, write_value(row)),
                       .option = full_name(section.name, row.field.name)});
    }
  }
  return lines;
}

}  // namespace

std::string dump_config(const Config& config) {
  std::string dump;
  for (const Line& line : lines_of(config)) {
    dump += line.text + '\n';
  }
  return dump;
}

std::string dump_section(const Config& config, std::string_view section) {
  std::string dump;
  for (const Line& line : lines_of(config)) {
    if (line.option.starts_with(fmt::format("{}.", section))) {
      dump += line.text + '\n';
    }
  }
  return dump;
}

std::vector<std::pair<std::string, std::string>> option_values(const Config& config) {
  Config copy = config;  // rows point into their config
  std::vector<std::pair<std::string, std::string>> values;
  for (const Section& section : sections(copy)) {
    for (const Row& row : section.rows) {
      values.emplace_back(full_name(section.name, row.field.name), write_value(row));
    }
  }
  return values;
}

std::string dump_config_with_origins(const LoadedConfig& loaded) {
  constexpr std::size_t widest = 60;  // a longer value shifts only its own comment
  const std::vector<Line> lines = lines_of(loaded.config);
  std::size_t width = 0;
  for (const Line& line : lines) {
    if (line.text.size() <= widest) {
      width = std::max(width, line.text.size());
    }
  }
  std::string dump;
  for (const Line& line : lines) {
    const auto origin = loaded.origins.find(line.option);
    if (origin == loaded.origins.end()) {
      dump += line.text + '\n';
    } else {
      dump += fmt::format("{:{}}  # {}\n", line.text, width, origin->second);
    }
  }
  return dump;
}

std::vector<std::string> differences(const Config& one, const Config& other, const Counts& counts) {
  std::map<std::string, std::string> others;
  for (const auto& [option, value] : option_values(other)) {
    others[option] = value;
  }
  std::vector<std::string> differing;
  Config copy = one;  // rows point into their config
  for (const Section& section : sections(copy)) {
    for (const Row& row : section.rows) {
      const std::string option = full_name(section.name, row.field.name);
      const auto found = others.find(option);
      const std::string value = write_value(row);
      if (found != others.end() && found->second != value && counts(option, row.field)) {
        differing.push_back(fmt::format("{}: {}, not {}", option, value, found->second));
      }
    }
  }
  return differing;
}

std::vector<std::string> differences(const LoadedConfig& run, const Config& file) {
  return differences(run.config, file, [&](std::string_view option, const Field& /*field*/) {
    const auto origin = run.origins.find(std::string(option));
    return origin == run.origins.end() || (origin->second != "--set" && origin->second != "auto");
  });
}

}  // namespace tapehead
