#include "train/config/rows.hpp"

namespace tapehead {
namespace {

std::vector<std::string_view> option_names(const TaskKind& task) {
  TaskOptions options(task);
  return names_of(rows_of(options));
}

}  // namespace

std::vector<std::string_view> names_of(const std::vector<Row>& rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    names.push_back(row.field.name);
  }
  return names;
}

std::vector<Section> sections(Config& config) {
  std::vector<Section> all{{"", "", rows_of(config)}};
  config.sections([&](std::string_view name, std::string_view help, auto& section) {
    all.push_back({name, help, rows_of(section)});
  });
  return all;
}

std::string full_name(std::string_view section, std::string_view option) {
  std::string name(section);
  if (!section.empty()) {
    name += '.';
  }
  return name += option;
}

const Row* find_row(const std::vector<Row>& rows, std::string_view option) {
  const auto found =
      std::ranges::find_if(rows, [&](const Row& row) { return row.field.name == option; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::vector<const TaskKind*>> task_groups() {
  std::vector<std::vector<const TaskKind*>> groups;
  for (const TaskKind* task : task_kinds()) {
    const auto same = [&](const auto& group) {
      return option_names(*group.front()) == option_names(*task);
    };
    const auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) {
      groups.push_back({task});
    } else {
      group->push_back(task);
    }
  }
  return groups;
}

Config config_for(const TaskKind& task) {
  Config config;
  config.task.choose(task);
  return config;
}

bool is_optional(const Row& row) {
  return std::holds_alternative<LayeredCell>(row.cell) ||
         std::holds_alternative<std::optional<Index>*>(row.cell) ||
         std::holds_alternative<std::optional<double>*>(row.cell);
}

}  // namespace tapehead
