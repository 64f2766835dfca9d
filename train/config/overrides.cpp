// Parses overrides, which are split at the first `=` and the first `.`, and applies them to a
// config.
#include "train/config/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "core/text.hpp"
#include "train/config/rows.hpp"

namespace tapehead {
namespace {

using Sources = std::vector<ConfigSource>;
using Values = std::map<std::string, std::string>;  // of options, by their full names

Override parse_override(const std::string& text) {
  check_characters(text, "--set");
  const std::string place = "--set " + shown(text);
  const std::size_t equals = text.find('=');
  const std::string_view name = trimmed(std::string_view(text).substr(0, equals));
  if (equals == std::string::npos || name.empty()) {
    throw ConfigError(fmt::format("{}: not of the form section.option=value", place));
  }
  Override result;
  result.place = place;
  result.name_place = place;
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    result.section = name.substr(0, dot);
  }
  result.option = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
  result.text = value;
  if (value.starts_with('[')) {
    result.value = parse_yaml(value, place);
    return result;
  }
  const bool null = value == "null" || value == "~";
  result.value.kind = null ? ConfigNode::Kind::null : ConfigNode::Kind::scalar;
  result.value.text = value;
  return result;
}

Values option_map(const Config& config) {
  const auto values = option_values(config);
  return {values.begin(), values.end()};
}

// Nothing if the config is refused.
std::optional<LoadedConfig> read_if_valid(const Sources& sources,
                                          const std::vector<Override>& overrides) {
  try {
    return read_config(sources, overrides);
  } catch (const ConfigError&) {
    return {};
  }
}

std::optional<Values> values_if_valid(const Sources& sources,
                                      const std::vector<Override>& overrides) {
  const auto loaded = read_if_valid(sources, overrides);
  return loaded ? std::optional(option_map(loaded->config)) : std::nullopt;
}

// Whether no option of the model is left to follow others, as in the config that a run stores. Such
// a config does not say which of its values were chosen; in any other, those that are there were.
bool is_written_out(const LoadedConfig& loaded) {
  return std::ranges::none_of(loaded.origins, [](const auto& option) {
    return option.first.starts_with("model.") && option.second == "auto";
  });
}

// The options that the documents give and that could follow others. Limits of the run do not: all
// of them hold together, and so do ten epochs and any further limit.
std::vector<std::string> options_given(const Sources& sources) {
  std::vector<std::string> names;
  for (const ConfigSource& source : sources) {
    for (const ConfigEntry& section : source.root.entries) {
      for (const ConfigEntry& option : section.value.entries) {
        const std::string name = full_name(section.key, option.key);
        if (section.key != "task" && name != "training.epochs") {
          names.push_back(name);
        }
      }
    }
  }
  return names;
}

Sources without_option(Sources sources, const std::string& name) {
  for (ConfigSource& source : sources) {
    for (ConfigEntry& section : source.root.entries) {
      std::erase_if(section.value.entries, [&](const ConfigEntry& option) {
        return full_name(section.key, option.key) == name;
      });
    }
  }
  return sources;
}

// Takes out each option without which the documents have the same values, and returns their names.
std::vector<std::string> take_out_derived(Sources& sources, const Values& values) {
  std::vector<std::string> derived;
  for (const std::string& name : options_given(sources)) {
    Sources rest = without_option(sources, name);
    if (values_if_valid(rest, {}) != values) {
      continue;
    }
    sources = std::move(rest);
    derived.push_back(name);
  }
  return derived;
}

// Whether an option does nothing but give a value to others.
bool is_for_others(std::string_view name) {
  constexpr std::array<std::string_view, 6> of_model{"model.preset",  "model.heads",
                                                     "model.d_head",  "model.layers",
                                                     "model.dropout", "model.dropout_attention"};
  return name.starts_with("attention.") || std::ranges::find(of_model, name) != of_model.end();
}

// Whether two configs differ in options that do more than give values to others.
bool differ_in_use(Values one, Values other) {
  const auto for_others = [](const auto& option) { return is_for_others(option.first); };
  std::erase_if(one, for_others);
  std::erase_if(other, for_others);
  return one != other;
}

// Whether an option may follow another one. The options of each kind of attention follow those of
// the section `attention`, which follow those of `model`. A family follows nothing, though it
// decides which followers are in use.
bool may_follow(std::string_view option, std::string_view other) {
  return option != "model.family" &&
         (!other.starts_with("attention.") || !option.starts_with("model."));
}

// Of an override without any effect, the options of the documents that prevent it: without one of
// these, the override has an effect.
std::vector<std::string> preventing(const Sources& sources, const std::vector<Override>& all,
                                    const std::vector<Override>& others,
                                    std::string_view overridden) {
  std::vector<std::string> names;
  for (const std::string& name : options_given(sources)) {
    if (!may_follow(name, overridden)) {
      continue;
    }
    const Sources rest = without_option(sources, name);
    const auto with = values_if_valid(rest, all);
    const auto unset = values_if_valid(rest, others);
    if (with && unset && differ_in_use(*with, *unset)) {
      names.push_back(name);
    }
  }
  return names;
}

void expect_effect(const Sources& sources, const std::vector<Override>& overrides,
                   const Values& values) {
  for (const Override& one : overrides) {
    const std::string name = full_name(one);
    if (!is_for_others(name)) {
      continue;
    }
    std::vector<Override> others = overrides;
    std::erase_if(others, [&](const Override& other) { return full_name(other) == name; });
    const auto unset = values_if_valid(sources, others);
    if (!unset || unset->at(name) == values.at(name) || differ_in_use(values, *unset)) {
      continue;
    }
    std::vector<std::string> own = preventing(sources, overrides, others, name);
    if (own.empty()) {
      continue;
    }
    const LoadedConfig loaded = read_config(sources, others);
    for (std::string& option : own) {
      option = fmt::format("{}: {}", loaded.origins.at(option), option);
    }
    throw ConfigError(
        fmt::format("{}: has no effect, because the options that would follow {} have values of "
                    "their own ({}); set these instead",
                    one.place, name, join(own, ", ")));
  }
}

}  // namespace

std::string full_name(const Override& value) { return full_name(value.section, value.option); }

LoadedConfig override_config(const Sources& sources, const std::vector<Override>& overrides) {
  if (overrides.empty()) {
    return read_config(sources, {});
  }
  // Documents that are valid only with the overrides have no values of their own to compare with.
  const std::optional<LoadedConfig> before = read_if_valid(sources, {});
  const Values values_before = before ? option_map(before->config) : Values();
  Sources rest = sources;
  std::vector<std::string> derived;
  if (before && is_written_out(*before)) {
    derived = take_out_derived(rest, values_before);
  }
  LoadedConfig loaded = read_config(rest, overrides);
  const Values values = option_map(loaded.config);
  expect_effect(rest, overrides, values);
  // What no override has changed still comes from the file.
  for (const std::string& name : derived) {
    std::string& origin = loaded.origins.at(name);
    if (origin != "--set" && values.at(name) == values_before.at(name)) {
      origin = before->origins.at(name);
    }
  }
  return loaded;
}

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  overrides.reserve(texts.size());
  for (const std::string& text : texts) {
    overrides.push_back(parse_override(text));
  }
  return overrides;
}

}  // namespace tapehead
