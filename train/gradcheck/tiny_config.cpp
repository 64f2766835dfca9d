#include "train/gradcheck/tiny_config.hpp"

#include "datasets/task_kind.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

bool has_gates(const ModelOptions& model) {
  return std::ranges::any_of(attention_kinds, [&](AttentionKind kind) {
    const auto& gates = model.settings(kind).gates.values;
    return std::ranges::find(gates, HeadGating::l0) != gates.end();
  });
}

// Reduces positions to those that the task's longest sequence needs, instead of a table of a
// million rows.
void fit_positions(Config& config, const IsSet& is_set) {
  constexpr Index usual = 1024;
  const Index marks = use_of(config).gives_entries() ? 1 : 2;
  const Index memory = std::max(config.training.memory, config.evaluation.memory.value_or(0));
  const Index needed = config.task.kind().longest(config.task).tokens + marks + memory;
  if (!is_set("model.max_positions")) {
    Index& positions = config.model.max_positions;
    positions = std::max(needed, std::min(positions, usual));
  }
}

void shrink_memory(Config& config, const IsSet& is_set) {
  if (!is_set("training.memory")) {
    config.training.memory = std::min(config.training.memory, Shrinking::most_tokens);
  }
  if (!is_set("evaluation.memory") && config.evaluation.memory) {
    config.evaluation.memory = std::min(*config.evaluation.memory, Shrinking::most_tokens);
  }
}

// The config in which all options that were `auto` follow the others again.
Config following(Config config, const std::map<std::string, std::string>& origins) {
  for (const Section& section : sections(config)) {
    for (const Row& row : section.rows) {
      if (origins.at(full_name(section.name, row.field.name)) == "auto") {
        read_value(row, make_node(ConfigNode::Kind::null, {}));
      }
    }
  }
  resolve(config);
  return config;
}

}  // namespace

Config tiny_config(const LoadedConfig& loaded) {
  const IsSet is_set = [&](std::string_view option) {
    const auto origin = loaded.origins.find(std::string(option));
    return origin != loaded.origins.end() && origin->second == "--set";
  };
  Config config = loaded.config;
  const Index most = is_set("model.max_positions") ? config.model.max_positions - 1 : 1000;
  config.task.kind().shrink(config.task, {.is_set = is_set, .most_characters = most});
  shrink_model(config.model, is_set);
  shrink_memory(config, is_set);
  fit_positions(config, is_set);
  config.training.freeze.clear();  // every gradient is checked
  if (!has_gates(config.model)) {
    const TrainingOptions defaults;
    config.training.gate_penalty = defaults.gate_penalty;
    config.training.gate_rate = defaults.gate_rate;
  }
  return config;
}

std::vector<std::string> changes(const LoadedConfig& from, const Config& to) {
  const auto before = option_values(from.config);
  const auto after = option_values(to);
  const auto by_itself = option_values(following(to, from.origins));
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& [option, value] = after[i];
    if (value != before[i].second &&
        (from.origins.at(option) != "auto" || value != by_itself[i].second)) {
      changed.push_back(fmt::format("{}={}", option, value));
    }
  }
  return changed;
}

}  // namespace tapehead
