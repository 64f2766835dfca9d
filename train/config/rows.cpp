#include "train/config/rows.hpp"

#include "core/text.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {

namespace {

std::vector<std::string_view> names_of(const std::vector<Row>& rows) {
  return mapped(rows, [](const Row& row) { return row.field.name; });
}

std::vector<std::string_view> option_names(const TaskKind& task) {
  TaskOptions options(task);
  return names_of(rows_of(options));
}

std::string normalized(std::string_view name) {
  std::string text = lowered(name);
  std::ranges::replace_if(text, [](char c) { return c == '-' || c == ' '; }, '_');
  return text;
}

// The full names of options with this name in any section.
std::vector<std::string> homes(const std::vector<Section>& all, std::string_view option) {
  std::vector<std::string> names;
  for_each_option(all, [&](const std::string& name, const Row& row) {
    if (row.field.name == option) {
      names.push_back(name);
    }
  });
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
  return section.empty() ? std::string(option) : fmt::format("{}.{}", section, option);
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

Index edit_distance(std::string_view from, std::string_view to) {
  // distance(i, j): from the first i letters of `from` to the first j of `to`
  const std::size_t columns = to.size() + 1;
  std::vector<Index> table((from.size() + 1) * columns);
  const auto distance = [&](std::size_t i, std::size_t j) -> Index& {
    return table[i * columns + j];
  };
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        distance(i, j) = static_cast<Index>(i + j);
        continue;
      }
      const Index replaced = distance(i - 1, j - 1) + (from[i - 1] == to[j - 1] ? 0 : 1);
      Index best = std::min({replaced, distance(i - 1, j) + 1, distance(i, j - 1) + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        best = std::min(best, distance(i - 2, j - 2) + 1);
      }
      distance(i, j) = best;
    }
  }
  return distance(from.size(), to.size());
}

std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 100;  // longer text is not a misspelt name
  if (name.size() > longest) {
    return std::nullopt;
  }
  const std::string wanted = normalized(name);
  std::optional<std::string_view> best;
  Index best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const Index distance = edit_distance(wanted, normalized(candidate));
    const auto letters = static_cast<Index>(std::max(wanted.size(), candidate.size()));
    if (distance <= std::max<Index>(1, letters / 3) && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string explain_unknown_option(std::string_view section, std::string_view option,
                                   const std::vector<Section>& all, const TaskKind& task) {
  if (section == "task") {
    std::vector<std::string_view> tasks;  // that have the option
    for (const auto& group : task_groups()) {
      if (std::ranges::count(option_names(*group.front()), option) > 0) {
        std::ranges::transform(group, std::back_inserter(tasks), &TaskKind::name);
      }
    }
    if (!tasks.empty()) {
      return fmt::format("not an option of the task {}; it belongs to {}", task.name,
                         join(tasks, ", "));
    }
  }
  const auto elsewhere = homes(all, option);
  if (!elsewhere.empty()) {
    return fmt::format("not an option of {}; there is {}", section, join(elsewhere, ", "));
  }
  const auto names = names_of(std::ranges::find(all, section, &Section::name)->rows);
  if (const auto near = nearest(option, names)) {
    return fmt::format("unknown option; did you mean {}?", full_name(section, *near));
  }
  return fmt::format("unknown option; {} has {}", section, join(names, ", "));
}

std::string explain_unknown_section(std::string_view name, const std::vector<Section>& all) {
  for (const Section& section : all) {
    for (const Row& row : section.rows) {
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
  std::vector<std::string_view> names = names_of(all.front().rows);  // outside any section
  std::ranges::transform(all | std::views::drop(1), std::back_inserter(names), &Section::name);
  names.push_back(base_key);
  if (const auto near = nearest(name, names)) {
    return fmt::format("unknown name; did you mean {}?", *near);
  }
  return fmt::format("unknown name; there are {}", join(names, ", "));
}

}  // namespace tapehead
