// The config reader turns a document and overrides into a checked, resolved config with origins.

#include "core/text.hpp"
#include "train/config/overrides.hpp"
#include "train/config/rules.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

class Reader {
 public:
  explicit Reader(const std::vector<Override>& overrides) : overrides_(overrides) {}

  // Options of a later source replace options of an earlier source.
  LoadedConfig read(const std::vector<ConfigSource>& sources) {
    read_options(sources, true);  // the task's name first, because it determines the valid options
    read_options(sources, false);
    std::ranges::transform(sources | std::views::reverse, std::back_inserter(loaded_.files),
                           &ConfigSource::file);
    note_written();
    apply_preset();
    for_each_option(all_, [&](const std::string& name, const Row&) {
      loaded_.origins.try_emplace(name, "default");
    });
    for (const Rule& rule : rules()) {
      if (const auto violation = rule.check(loaded_.config)) {
        fail(place_of(*violation), violation->problem);
      }
    }
    resolve_options();
    return std::move(loaded_);
  }

 private:
  std::string at(Mark mark) const {
    return fmt::format("{}:{}:{}", shown(source_->file), mark.line, mark.column);
  }
  std::string at(Mark mark, std::string_view name) const {
    return fmt::format("{}: {}", at(mark), shown(name));
  }

  [[noreturn]] static void fail(std::string_view place, std::string_view problem) {
    throw ConfigError("{}: {}", place, problem);
  }

  static bool names_task(std::string_view section, std::string_view option) {
    return section == "task" && option == "name";
  }

  // Reads either the task's name or all other options, from the sources and then the overrides.
  void read_options(const std::vector<ConfigSource>& sources, bool of_task_name) {
    all_ = sections(loaded_.config);
    for (const ConfigSource& source : sources) {
      source_ = &source;
      for (const ConfigEntry& entry : source.root.entries) {
        of_task_name ? read_section(entry, true) : read_entry(entry);
      }
    }
    for (const Override& one : overrides_) {
      if (names_task(one.section, one.option) == of_task_name) {
        apply(one);
      }
    }
  }

  void read_entry(const ConfigEntry& entry) {
    if (!has_section(entry.key)) {
      return read_option("", entry);
    }
    if (entry.value.kind != ConfigNode::Kind::null &&
        entry.value.kind != ConfigNode::Kind::mapping) {
      fail(at(entry.value.mark, entry.key),
           "a section takes options, each as `name: value` on a line below it");
    }
    read_section(entry, false);
  }

  void read_section(const ConfigEntry& section, bool of_task_name) {
    for (const ConfigEntry& option : section.value.entries) {
      if (names_task(section.key, option.key) == of_task_name) {
        read_option(section.key, option);
      }
    }
  }

  void read_option(std::string_view section, const ConfigEntry& entry) {
    const std::string name = full_name(section, entry.key);
    const Row& row = row_of(section, entry.key, at(entry.mark, name));
    const auto elsewhere = source_->origins.find(entry.value.mark.line);
    set(row, name, entry.value, at(entry.value.mark, name),
        elsewhere == source_->origins.end() ? at(entry.value.mark) : elsewhere->second);
  }

  void apply(const Override& one) {
    if (one.section.empty() && one.option == base_key) {
      fail(one.name_place, "base can be set in a config file only");
    }
    if (one.section.empty() && has_section(one.option)) {
      fail(one.name_place, "a section; set one of its options, " + one.option + ".option=value");
    }
    set(row_of(one.section, one.option, one.name_place), full_name(one), one.value, one.place,
        one.origin);
  }

  // `place`: of the option's name, for the error about an unknown one.
  const Row& row_of(std::string_view section, std::string_view option,
                    std::string_view place) const {
    if (!section.empty() && !has_section(section)) {
      fail(place, explain_unknown_section(section, all_));
    }
    const Row* row = find_row(section, option);
    if (row == nullptr) {
      fail(place, section.empty()
                      ? explain_unknown_section(option, all_)
                      : explain_unknown_option(section, option, all_, loaded_.config.task.kind()));
    }
    return *row;
  }

  void set(const Row& row, const std::string& name, const ConfigNode& value,
           const std::string& place, const std::string& origin) {
    try {
      read_value(row, value);
    } catch (const ConfigError& error) {
      fail(place, error.what());
    }
    places_[name] = place;
    loaded_.origins[name] = origin;
  }

  // Stores the options that were set, before a preset or `auto` gives values to other options.
  void note_written() {
    Written& written = loaded_.written.emplace();
    for_each_option(all_, [&](const std::string& name, const Row& row) {
      if (places_.contains(name)) {
        written.push_back({name, write_value(row), loaded_.origins.at(name)});
      }
    });
  }

  // Gives the preset's values to the options that are not set.
  void apply_preset() {
    const std::vector<PresetValue> values = preset_values(loaded_.config);
    const std::string_view preset = name_of(loaded_.config.model.preset);
    preset_origin_ = values.empty() ? "" : fmt::format("preset {}", preset);
    for (const auto& [option, value] : values) {
      const std::string name(option);
      if (places_.contains(name)) {
        continue;
      }
      const std::size_t dot = option.find('.');
      const Row& row = *find_row(option.substr(0, dot), option.substr(dot + 1));
      const auto node = make_node(ConfigNode::Kind::scalar, {}, std::string(value));
      set(row, name, node, places_.at("model.preset"), preset_origin_);
    }
  }

  enum class Source { command, file, preset };

  Source source_of(const std::string& option) const {
    const auto sets = [&](const Override& one) { return full_name(one) == option; };
    return std::ranges::any_of(overrides_, sets)          ? Source::command
           : loaded_.origins.at(option) == preset_origin_ ? Source::preset
                                                          : Source::file;
  }

  // The place of the option to blame for a violation: an option from the command line if possible,
  // else from a file, else from the preset; never a default.
  std::string culprit(const Violation& violation) const {
    for (const Source source : {Source::command, Source::file, Source::preset}) {
      for (const std::string& option : violation.options) {
        if (places_.contains(option) && source_of(option) == source) {
          return places_.at(option);
        }
      }
    }
    return fmt::format("{}: {}", shown(source_->file), violation.options.front());
  }

  // The culprit and the option that the problem is about, unless that is the culprit or a default.
  std::string place_of(const Violation& violation) const {
    std::string place = culprit(violation);
    const std::string& subject = violation.options.front();
    if (!places_.contains(subject) || places_.at(subject) == place) {
      return place;
    }
    const bool by_preset = source_of(subject) == Source::preset;
    return by_preset ? fmt::format("{}: {}: {}", place, preset_origin_, subject)
                     : fmt::format("{}: {}", place, places_.at(subject));
  }

  void resolve_options() {
    const OptionValues before = option_values(loaded_.config);
    resolve(loaded_.config);
    const OptionValues resolved = option_values(loaded_.config);
    for (std::size_t i = 0; i < resolved.size(); ++i) {
      if (before[i].second == "auto" && resolved[i].second != "auto") {
        loaded_.origins[resolved[i].first] = "auto";
      }
    }
  }

  bool has_section(std::string_view name) const {
    return !name.empty() && std::ranges::count(all_, name, &Section::name) > 0;
  }

  const Row* find_row(std::string_view section, std::string_view option) const {
    const auto found = std::ranges::find(all_, section, &Section::name);
    if (found == all_.end()) {
      return nullptr;
    }
    const auto row =
        std::ranges::find(found->rows, option, [](const Row& one) { return one.field.name; });
    return row == found->rows.end() ? nullptr : &*row;
  }

  const ConfigSource* source_ = nullptr;  // the source that is being read, then the last
  const std::vector<Override>& overrides_;
  LoadedConfig loaded_;
  std::vector<Section> all_;                   // its rows point into loaded_.config
  std::map<std::string, std::string> places_;  // of options that are set, for messages
  std::string preset_origin_;                  // "preset llama"; empty without one
};

}  // namespace

LoadedConfig read_config(const std::vector<ConfigSource>& sources,
                         const std::vector<Override>& overrides) {
  return Reader(overrides).read(sources);
}

}  // namespace tapehead
