// Parses overrides and applies them to a config. The first `=` ends the name, and the first `.`
// ends the section.
#include "train/config/overrides.hpp"

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
    throw ConfigError("{}: not of the form section.option=value", place);
  }
  const std::size_t dot = name.find('.');
  const bool outside = dot == std::string_view::npos;
  const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
  const bool null = value == "null" || value == "~";
  const auto kind = null ? ConfigNode::Kind::null : ConfigNode::Kind::scalar;
  return {.section = std::string(outside ? "" : name.substr(0, dot)),
          .option = std::string(outside ? name : name.substr(dot + 1)),
          .value = value.starts_with('[') ? parse_yaml(value, place)
                                          : make_node(kind, {}, std::string(value)),
          .text = std::string(value),
          .place = place,
          .name_place = place};
}

Values option_map(const Config& config) {
  const auto values = option_values(config);
  return {values.begin(), values.end()};
}

bool sets(const std::vector<Override>& overrides, const std::string& name) {
  return std::ranges::any_of(overrides,
                             [&](const Override& one) { return full_name(one) == name; });
}

// The documents without the options for which `which(name)` holds.
Sources without(Sources sources, const auto& which) {
  for (ConfigSource& source : sources) {
    for (ConfigEntry& section : source.root.entries) {
      std::erase_if(section.value.entries, [&](const ConfigEntry& option) {
        return which(full_name(section.key, option.key));
      });
    }
  }
  return sources;
}

// Whether the config without the override of `name` differs in an option that does more than lead
// other options. Also true if the override repeats a value, or if either config is invalid.
bool has_effect(const Sources& sources, const std::vector<Override>& overrides,
                const std::string& name) {
  std::vector<Override> others = overrides;
  std::erase_if(others, [&](const Override& other) { return full_name(other) == name; });
  try {
    const Config with = read_config(sources, overrides).config;
    const Config unset = read_config(sources, others).config;
    const bool repeated = option_map(with).at(name) == option_map(unset).at(name);
    const auto leads_none = [&](std::string_view option, const Field&) {
      return followers(with, option).empty();
    };
    return repeated || !differences(with, unset, leads_none).empty();
  } catch (const ConfigError&) {
    return true;
  }
}

// Adds the options with their own values that would otherwise follow `leader`, also indirectly.
void add_own(const LoadedConfig& loaded, std::string_view leader, std::vector<std::string>& own) {
  for (const std::string& name : followers(loaded.config, leader)) {
    const auto one = std::ranges::find(*loaded.written, name, &WrittenOption::option);
    if (one == loaded.written->end() || one->value == "auto") {
      add_own(loaded, name, own);
    } else if (std::ranges::find(own, name) == own.end()) {
      own.push_back(name);
    }
  }
}

// Overrides for the options of `to` that `from` lacks or has with another value.
std::vector<Override> changes(const Values& from, const LoadedConfig& to) {
  std::vector<Override> changed;
  for (const auto& [name, value] : option_values(to.config)) {
    const auto before = from.find(name);
    if (before == from.end() || before->second != value) {
      Override& one = changed.emplace_back(parse_override(fmt::format("{}={}", name, value)));
      one.value = parse_yaml(value, name);
      one.place = name;
      one.origin = to.origins.at(name);
    }
  }
  return changed;
}

// A value with `auto` is not compared: the run may have resolved `auto` by another rule.
bool has_auto(const ConfigNode& value) {
  return value.text == "auto" || std::ranges::any_of(value.items, has_auto);
}

void expect_as_written(const ConfigSource& written, const Values& resolved,
                       const std::string& config, const Values& stored,
                       const std::vector<Override>& overrides) {
  const auto check = [&](const std::string& name, const ConfigNode& value) {
    const auto now = stored.find(name);
    const std::string there = now == stored.end() ? "no such option" : now->second;
    if (resolved.contains(name) && resolved.at(name) != there && !has_auto(value) &&
        !sets(overrides, name)) {
      fail_at(written.file, value.mark,
              fmt::format("{0}: {1}, but {2} has {3}; restore the file that was changed, or choose "
                          "the value: --set {0}=VALUE",
                          name, resolved.at(name), shown(config), there));
    }
  };
  for (const ConfigEntry& entry : written.root.entries) {
    check(entry.key, entry.value);  // a section is no option
    for (const ConfigEntry& option : entry.value.entries) {
      check(full_name(entry.key, option.key), option.value);
    }
  }
}

}  // namespace

std::string full_name(const Override& value) { return full_name(value.section, value.option); }

LoadedConfig override_config(const Sources& sources, const std::vector<Override>& overrides) {
  LoadedConfig loaded = read_config(sources, overrides);
  for (const Override& one : overrides) {
    const std::string name = full_name(one);
    std::vector<std::string> own;
    add_own(loaded, name, own);
    const auto is_own = [&](const std::string& option) {
      return std::ranges::find(own, option) != own.end();
    };
    if (own.empty() || has_effect(sources, overrides, name) ||
        !has_effect(without(sources, is_own), overrides, name)) {
      continue;
    }
    for (std::string& option : own) {
      option = fmt::format("{}: {}", loaded.origins.at(option), option);
    }
    throw ConfigError(
        "{}: has no effect, because the options that would follow {} have values of "
        "their own ({}); set these instead",
        one.place, name, join(own, ", "));
  }
  return loaded;
}

LoadedConfig override_run(const Sources& stored, const ConfigSource& written,
                          const std::vector<Override>& overrides) {
  const LoadedConfig run = read_config(stored, {});
  const Values values = option_map(run.config);
  const LoadedConfig resolved = read_config({written}, {});
  expect_as_written(written, option_map(resolved.config), stored.back().file, values, overrides);
  // An overridden option whose value differs here had another default when the run began.
  std::vector<Override> former = changes(option_map(resolved.config), run);
  std::erase_if(former, [&](const Override& one) { return !sets(overrides, full_name(one)); });
  const LoadedConfig before = read_config({written}, former);
  LoadedConfig after = override_config({written}, overrides);
  std::vector<Override> changed = changes(option_map(before.config), after);
  changed.insert(changed.end(), overrides.begin(), overrides.end());
  const Values left = option_map(after.config);  // another task has other options
  LoadedConfig loaded = read_config(
      without(stored, [&](const std::string& name) { return !left.contains(name); }), changed);
  loaded.written = std::move(after.written);
  loaded.files.push_back(written.file);
  return loaded;
}

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  return mapped(texts, parse_override);
}

}  // namespace tapehead
