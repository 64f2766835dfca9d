// Rows: the options of a config as values to walk over at run time, so that reader, writer, schema
// and reference need no templates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "train/options.hpp"

namespace tapehead {

// A member that is one of several names, whatever its enumeration.
struct Choice {
  std::span<const std::string_view> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

using Cell = std::variant<bool*, Index*, double*, std::uint64_t*, std::string*,
                          std::optional<Index>*, std::optional<double>*, Choice>;

struct Row {
  Field field;
  Cell cell;  // points into the config
};

struct Section {
  std::string_view name;  // empty for the options that stand outside any section
  std::string_view help;
  std::vector<Row> rows;
};

// Every option of the config, the task section with the options of its `task.name`.
std::vector<Section> sections(Config& config);

// "section.option", or the option alone outside any section.
std::string full_name(std::string_view section, std::string_view option);

// The tasks that share their options, by group.
std::vector<std::vector<TaskName>> task_groups();

std::string_view task_text(TaskName name);

// The defaults, with this task.
Config config_for(TaskName name);

// An option whose absence means `auto`.
bool is_optional(const Row& row);

}  // namespace tapehead
