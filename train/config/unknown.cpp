// Explains an unknown name: it may be misspelt, or an option of another section or task.
#include "train/config/unknown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "train/config/bases.hpp"
#include "train/config/nearest.hpp"
#include "train/config/rows.hpp"

namespace tapehead {
namespace {

std::vector<std::string_view> option_names(const Section& section) {
  std::vector<std::string_view> names;
  names.reserve(section.rows.size());
  for (const Row& row : section.rows) {
    names.push_back(row.field.name);
  }
  return names;
}

bool has_option(const Section& section, std::string_view option) {
  return std::ranges::any_of(section.rows,
                             [&](const Row& row) { return row.field.name == option; });
}

// The tasks whose section has this option.
std::vector<std::string_view> tasks_with(std::string_view option) {
  std::vector<std::string_view> tasks;
  for (const auto& group : task_groups()) {
    Config config = config_for(*group.front());
    for (const Section& section : sections(config)) {
      if (section.name != "task" || !has_option(section, option)) {
        continue;
      }
      for (const TaskKind* task : group) {
        tasks.push_back(task->name);
      }
    }
  }
  return tasks;
}

// The full names of options with this name in any section.
std::vector<std::string> homes(const std::vector<Section>& all, std::string_view option) {
  std::vector<std::string> names;
  for (const Section& section : all) {
    if (has_option(section, option)) {
      names.push_back(full_name(section.name, option));
    }
  }
  return names;
}

}  // namespace

std::string explain_unknown_option(std::string_view section, std::string_view option,
                                   const TaskKind& task) {
  Config config = config_for(task);
  const std::vector<Section> all = sections(config);
  if (section == "task") {
    const auto tasks = tasks_with(option);
    if (!tasks.empty()) {
      return fmt::format("not an option of the task {}; it belongs to {}", task.name,
                         join(tasks, ", "));
    }
  }
  const auto elsewhere = homes(all, option);
  if (!elsewhere.empty()) {
    return fmt::format("not an option of {}; there is {}", section, join(elsewhere, ", "));
  }
  const auto here =
      std::ranges::find_if(all, [&](const Section& one) { return one.name == section; });
  const auto names = option_names(*here);
  const auto near = nearest(option, names);
  if (near) {
    return fmt::format("unknown option; did you mean {}?", full_name(section, *near));
  }
  return fmt::format("unknown option; {} has {}", section, join(names, ", "));
}

std::string explain_unknown_section(std::string_view name, const TaskKind& task) {
  Config config = config_for(task);
  const std::vector<Section> all = sections(config);
  std::vector<std::string_view> names;
  for (const Section& section : all) {
    if (!section.name.empty()) {
      names.push_back(section.name);
    }
    for (const Row& row : section.rows) {
      if (section.name.empty()) {
        names.push_back(row.field.name);
      }
      if (full_name(section.name, row.field.name) == name) {
        return fmt::format("options are written in their section: `{}:`, and in it `{}:`",
                           section.name, row.field.name);
      }
    }
  }
  const auto inside = homes(all, name);
  if (!inside.empty()) {
    return fmt::format("unknown name; there is the option {}", join(inside, ", "));
  }
  names.push_back(base_key);
  if (const auto near = nearest(name, names)) {
    return fmt::format("unknown name; did you mean {}?", *near);
  }
  return fmt::format("unknown name; there are {}", join(names, ", "));
}

}  // namespace tapehead
