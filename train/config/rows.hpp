// The options of a config by name, as sections of rows, so that the reader, the writer, the schema
// and the reference need no templates. Also finds the valid name that a misspelt name most likely
// means.
#pragma once

#include "core/option_rows.hpp"
#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The key that names the base, outside any section.
constexpr std::string_view base_key = "base";

struct Section {
  std::string_view name;  // empty for options outside any section
  std::string_view help;
  std::vector<Row> rows;
};

// All sections of the config; the section `task` has the options of the config's task. The rows
// point into the config.
std::vector<Section> sections(Config& config);

// "section.option", or the option alone outside any section.
std::string full_name(std::string_view section, std::string_view option);

// Calls visit(full name, row) for each option.
void for_each_option(const std::vector<Section>& all, const auto& visit) {
  for (const Section& section : all) {
    for (const Row& row : section.rows) {
      visit(full_name(section.name, row.field.name), row);
    }
  }
}

void for_each_option(Config config, const auto& visit) { for_each_option(sections(config), visit); }

// The tasks, grouped by the names of their options.
std::vector<std::vector<const TaskKind*>> task_groups();

// A config with this task and all defaults.
Config config_for(const TaskKind& task);

// The smallest number of insertions, deletions, replacements and swaps of neighbouring letters that
// turns `from` into `to`, where no part is edited twice (optimal string alignment).
Index edit_distance(std::string_view from, std::string_view to);

// The candidate with the smallest edit distance (the first of equal ones), if the distance is at
// most a third of the letters, or 1. Case does not count; `-` and spaces count as `_`.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates);

// Explains why a name is not a valid option or section where it stands: it is misspelt, or it
// belongs to another section or task. `all`: the sections of a config with the task.
std::string explain_unknown_option(std::string_view section, std::string_view option,
                                   const std::vector<Section>& all, const TaskKind& task);
std::string explain_unknown_section(std::string_view name, const std::vector<Section>& all);

}  // namespace tapehead
