// Rows are made by visiting the fields of each section.
#include "train/config/rows.hpp"

#include <algorithm>
#include <type_traits>

namespace tapehead {
namespace {

template <class Member>
Cell cell_of(Member& member) {
  if constexpr (std::is_enum_v<Member>) {
    return Choice{.names = EnumNames<Member>::names,
                  .get = [&member] { return static_cast<std::size_t>(member); },
                  .set = [&member](std::size_t number) { member = static_cast<Member>(number); }};
  } else {
    return &member;
  }
}

template <class Fields>
std::vector<Row> rows_of(Fields& fields) {
  std::vector<Row> rows;
  fields.fields(
      [&](const Field& field, auto& member) { rows.push_back({field, cell_of(member)}); });
  return rows;
}

std::vector<std::string_view> option_names(TaskName name) {
  TaskOptions options;
  options.name = name;
  std::vector<std::string_view> names;
  for (const Row& row : rows_of(options)) names.push_back(row.field.name);
  return names;
}

}  // namespace

std::vector<Section> sections(Config& config) {
  std::vector<Section> all{{"", "", rows_of(config)}};
  config.sections([&](std::string_view name, std::string_view help, auto& section) {
    all.push_back({name, help, rows_of(section)});
  });
  return all;
}

std::string full_name(std::string_view section, std::string_view option) {
  std::string name(section);
  if (!section.empty()) name += '.';
  return name += option;
}

std::vector<std::vector<TaskName>> task_groups() {
  std::vector<std::vector<TaskName>> groups;
  for (std::size_t i = 0; i < EnumNames<TaskName>::names.size(); ++i) {
    const auto name = static_cast<TaskName>(i);
    const auto same = [&](const auto& group) {
      return option_names(group.front()) == option_names(name);
    };
    const auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) {
      groups.push_back({name});
    } else {
      group->push_back(name);
    }
  }
  return groups;
}

std::string_view task_text(TaskName name) {
  return EnumNames<TaskName>::names[static_cast<std::size_t>(name)];
}

Config config_for(TaskName name) {
  Config config;
  config.task.name = name;
  return config;
}

bool is_optional(const Row& row) {
  return std::holds_alternative<std::optional<Index>*>(row.cell) ||
         std::holds_alternative<std::optional<double>*>(row.cell);
}

}  // namespace tapehead
