// Rows are made by visiting the fields of each section.
#include "train/config/rows.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <type_traits>

namespace tapehead {
namespace {

template <class Value>
struct IsLayered : std::false_type {};
template <class Value>
struct IsLayered<Layered<Value>> : std::true_type {};

template <class Member>
Cell cell_of(Member& member);

// One value of a layer, where the option does not differ by head.
template <class Value>
LayeredCell layered_cell(Layered<Value>& member) {
  const auto room = std::make_shared<Value>();
  return {.by_head = false,
          .element = std::make_shared<Element>(Element{cell_of(*room)}),
          .clear = [&member] { member.values.clear(); },
          .begin_layer = [] {},
          .append = [&member, room] { member.values.push_back(*room); },
          .layers = [&member] { return std::ssize(member.values); },
          .heads = [](Index) { return Index{1}; },
          .to_element = [&member, room](Index layer, Index) { *room = member.at(layer); }};
}

template <class Value>
LayeredCell layered_cell(Layered<ByHead<Value>>& member) {
  const auto room = std::make_shared<Value>();
  return {.by_head = true,
          .element = std::make_shared<Element>(Element{cell_of(*room)}),
          .clear = [&member] { member.values.clear(); },
          .begin_layer = [&member] { member.values.push_back({}); },
          .append = [&member, room] { member.values.back().values.push_back(*room); },
          .layers = [&member] { return std::ssize(member.values); },
          .heads = [&member](Index layer) { return std::ssize(member.at(layer).values); },
          .to_element = [&member, room](Index layer,
                                        Index head) { *room = member.at(layer).at(head); }};
}

template <class Member>
Cell cell_of(Member& member) {
  if constexpr (IsLayered<Member>::value) {
    return layered_cell(member);
  } else if constexpr (std::is_same_v<Member, AttentionPattern>) {
    return Notation{.allowed = AttentionPattern::notation,
                    .get = [&member] { return member.text(); },
                    .set = [&member](std::string_view text) { member = AttentionPattern(text); }};
  } else if constexpr (std::is_enum_v<Member>) {
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
  return std::holds_alternative<LayeredCell>(row.cell) ||
         std::holds_alternative<std::optional<Index>*>(row.cell) ||
         std::holds_alternative<std::optional<double>*>(row.cell);
}

}  // namespace tapehead
