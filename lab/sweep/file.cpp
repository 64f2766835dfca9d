// Reads a sweep file: one function for each kind of entry.
#include "lab/sweep/chapters.hpp"

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

namespace {

using Kind = ConfigNode::Kind;

constexpr std::array<std::string_view, 11> entry_names{
    "config",         "set",   "seeds", "axes",     "metric",  "split",
    "further_splits", "heads", "show",  "chapters", "sentence"};
constexpr Index most_seeds = 1000;
constexpr std::string_view as_it_is = "as it is";  // the label of `{}` in a list

// Whether YAML, also in a list, reads the text unchanged without quotes.
bool is_plain(std::string_view text) {
  static constexpr std::string_view inside =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._+-";
  return !text.empty() && text != "null" &&
         text.find_first_not_of(inside) == std::string_view::npos &&
         text.find_first_of(" -+") != 0 && text.back() != ' ';
}

// The value as `--set` takes it: "null", or a list such as "[[full, window 2], full]".
std::string list_text(const ConfigNode& node) {
  if (node.kind == Kind::sequence) {
    return fmt::format("[{}]", join(mapped(node.items, list_text), ", "));
  }
  return node.kind == Kind::null ? "null"
         : is_plain(node.text)   ? node.text
                                 : nlohmann::json(node.text).dump();
}

std::string value_text(const ConfigNode& node) {
  return node.kind == Kind::scalar ? node.text : list_text(node);
}

bool is_empty_mapping(const ConfigNode& node) {
  return node.kind == Kind::mapping && node.entries.empty();
}

bool has_mapping(const ConfigNode& node) {
  return node.kind == Kind::mapping || std::ranges::any_of(node.items, has_mapping);
}

class SweepReader {
 public:
  SweepReader(std::string_view file, const fs::path& root) : file_(file), root_(root) {}

  SweepFile read(const ConfigNode& root) {
    for (const ConfigEntry& entry : root.entries) {
      read_entry(entry);
    }
    if (sweep_.config.empty()) {
      fail_at(file_, root.mark, "config: missing; name the config file that the runs start from");
    }
    if (sweep_.chapters.empty() && !sweep_.study.sentence.empty()) {
      fail_at(file_, root.mark, "sentence: has no effect without chapters, whose maps it is for");
    }
    return std::move(sweep_);
  }

 private:
  [[noreturn]] void fail(const Mark& mark, std::string_view name, std::string_view problem) const {
    fail_at(file_, mark, fmt::format("{}: {}", shown(name), problem));
  }

  void read_entry(const ConfigEntry& entry) {
    const ConfigNode& value = entry.value;
    if (entry.key == "config") {
      read_config(entry);
    } else if (entry.key == "set") {
      sweep_.fixed = values_of("set", value);
    } else if (entry.key == "seeds") {
      read_seeds(value);
    } else if (entry.key == "axes") {
      read_axes(value);
    } else if (entry.key == "metric") {
      read_metric(entry);
    } else if (entry.key == "split") {
      sweep_.split = {.name = text_of(entry, "test, validation or another split"),
                      .place = place_of(entry.key, value.mark)};
    } else if (entry.key == "further_splits") {
      sweep_.further_splits = names_in(entry, "names of splits, such as [longer]");
    } else if (entry.key == "heads") {
      read_heads(entry);
    } else if (entry.key == "show") {
      sweep_.show = names_in(entry, "names of figures, such as [cross.entropy]");
    } else if (entry.key == "chapters") {
      sweep_.chapters = read_chapters(value, file_);
      sweep_.study.maps = true;
    } else if (entry.key == "sentence") {
      sweep_.study.sentence = text_of(entry, "a text for the maps of chapters");
    } else {
      const auto near = nearest(entry.key, entry_names);
      fail(entry.mark, entry.key,
           near ? fmt::format("unknown name; did you mean {}?", *near)
                : fmt::format("unknown name; a sweep has {}", join(entry_names, ", ")));
    }
  }

  void read_axes(const ConfigNode& value) {
    if (value.kind != Kind::mapping) {
      fail(value.mark, "axes", "expected options and their lists of values");
    }
    for (const ConfigEntry& axis : value.entries) {
      sweep_.axes.push_back({axis.key, settings_of(axis)});
    }
  }

  void read_metric(const ConfigEntry& entry) {
    const ConfigNode& value = entry.value;
    sweep_.metric = metric_named(text_of(entry, "a metric"));
    if (!sweep_.metric) {
      fail(value.mark, "metric",
           fmt::format("no such metric ({}; there are {})", shown(value.text),
                       join(EnumNames<Metric>::names, ", ")));
    }
    sweep_.metric_place = place_of(entry.key, value.mark);
  }

  // A missing config file is reported at this entry; an error in the config, at its own place.
  void read_config(const ConfigEntry& entry) {
    sweep_.config = root_ / text_of(entry, "the config file that the runs start from");
    try {
      read_config_text(sweep_.config);
    } catch (const ConfigError& error) {
      fail(entry.value.mark, "config", error.what());
    }
  }

  std::string text_of(const ConfigEntry& entry, std::string_view what) const {
    if (entry.value.kind != Kind::scalar || entry.value.text.empty()) {
      fail(entry.value.mark, entry.key, fmt::format("expected {}", what));
    }
    return entry.value.text;
  }

  std::vector<PlacedName> names_in(const ConfigEntry& entry, std::string_view what) const {
    std::vector<PlacedName> placed_names;
    for (const ConfigNode& item : entry.value.items) {
      const std::string name = entry.key == "show" ? present_name(item.text) : item.text;
      if (item.kind != Kind::scalar ||
          std::ranges::count(placed_names, name, &PlacedName::name) > 0) {
        fail(item.mark, entry.key, fmt::format("expected {}, none of them twice", what));
      }
      placed_names.push_back({name, place_of(entry.key, item.mark)});
    }
    if (placed_names.empty()) {
      fail(entry.value.mark, entry.key, fmt::format("expected a list of {}", what));
    }
    return placed_names;
  }

  // Importance and pruning imply the figures, because their results refer to them.
  void read_heads(const ConfigEntry& entry) {
    sweep_.study.heads = true;
    for (const PlacedName& part : names_in(entry, "figures, importance, pruning")) {
      if (part.name == "importance") {
        sweep_.study.importance = true;
      } else if (part.name == "pruning") {
        sweep_.study.pruning = true;
      } else if (part.name != "figures") {
        throw ConfigError("{}: expected figures, importance or pruning, not {}", part.place,
                          shown(part.name));
      }
    }
  }

  Override value_of(std::string_view option, const Mark& mark, const ConfigNode& value) const {
    if (option == "seed") {
      fail(mark, option, "seeds have an entry of their own, `seeds: [1, 2, 3]`");
    }
    return placed(option, mark, value);
  }

  // An option's value as `--set` would give it, with the places of option and value in this file.
  Override placed(std::string_view option, const Mark& mark, const ConfigNode& value) const {
    if (has_mapping(value)) {
      fail(value.mark, option,
           "expected a value; several options that change together need names: `size: {small: "
           "{model.d_model: 32}, large: {model.d_model: 64}}`");
    }
    if (option.find('=') != option.npos) {
      fail(mark, option, "expected the name of an option, such as model.heads");
    }
    Override result;
    try {
      result = parse_overrides({fmt::format("{}={}", option, value_text(value))}).front();
    } catch (const ConfigError& error) {
      fail(mark, option, error.what());
    }
    result.name_place = place_of(option, mark);
    result.place = place_of(option, value.mark);
    return result;
  }

  std::string place_of(std::string_view option, const Mark& mark) const {
    return fmt::format("{}:{}:{}: {}", shown(file_), mark.line, mark.column, shown(option));
  }

  std::vector<Override> values_of(std::string_view name, const ConfigNode& node) const {
    if (node.kind != Kind::mapping || node.entries.empty()) {
      fail(node.mark, name, "expected options and their values, such as {model.heads: 2}");
    }
    return mapped(node.entries, [&](const ConfigEntry& entry) {
      return value_of(entry.key, entry.mark, entry.value);
    });
  }

  std::vector<SweepSetting> settings_of(const ConfigEntry& axis) const {
    std::vector<SweepSetting> settings;
    for (const ConfigNode& item : axis.value.items) {
      SweepSetting& setting = settings.emplace_back();
      setting.place = place_of(axis.key, item.mark);
      if (is_empty_mapping(item)) {
        setting.label = as_it_is;
      } else {
        setting.label = value_text(item);
        setting.values = {value_of(axis.key, axis.mark, item)};
      }
      if (std::ranges::count(settings, setting.label, &SweepSetting::label) > 1) {
        fail(item.mark, axis.key, fmt::format("{} is in the list twice", name_of(setting)));
      }
    }
    for (const ConfigEntry& entry : axis.value.entries) {
      SweepSetting& setting = settings.emplace_back();
      setting.label = entry.key;
      if (!is_empty_mapping(entry.value)) {
        setting.values = values_of(entry.key, entry.value);
      }
      setting.place = setting.values.empty() ? place_of(entry.key, entry.value.mark)
                                             : setting.values.front().place;
    }
    if (std::ranges::all_of(settings, &std::vector<Override>::empty, &SweepSetting::values)) {
      fail(axis.value.mark, axis.key,
           "expected a list of values, such as [1, 2, 4], or names with the options of each");
    }
    return settings;
  }

  // Seeds are a list, or a number n for the seeds 1, 2, ..., n.
  void read_seeds(const ConfigNode& node) {
    std::vector<ConfigNode> seeds = node.items;
    if (node.kind == Kind::scalar) {
      const std::uint64_t count = unsigned_of(node);
      if (count > static_cast<std::uint64_t>(most_seeds)) {
        fail(node.mark, "seeds",
             fmt::format("at most {}; or give a list, such as [7, 8, 9]", most_seeds));
      }
      for (std::uint64_t seed = 1; seed <= count; ++seed) {
        seeds.push_back(make_node(Kind::scalar, node.mark, std::to_string(seed)));
      }
    }
    if (seeds.empty()) {
      fail(node.mark, "seeds", "expected a number of seeds, or a list of seeds");
    }
    std::set<std::uint64_t> known;
    for (ConfigNode& seed : seeds) {
      const std::uint64_t number = unsigned_of(seed);
      if (!known.insert(number).second) {
        fail(seed.mark, "seeds", fmt::format("{} is in the list twice", number));
      }
      seed.text = std::to_string(number);
      sweep_.seeds.push_back(placed("seed", seed.mark, seed));
    }
  }

  std::uint64_t unsigned_of(const ConfigNode& node) const {
    if (node.kind != Kind::scalar) {
      fail(node.mark, "seeds", "expected a whole number");
    }
    try {
      return parse_unsigned(node.text);
    } catch (const ConfigError& error) {
      fail(node.mark, "seeds", fmt::format("{} ({})", error.what(), shown(node.text)));
    }
  }

  std::string_view file_;
  const fs::path& root_;
  SweepFile sweep_;
};

}  // namespace

std::optional<Metric> metric_named(std::string_view name) {
  const auto& names = EnumNames<Metric>::names;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<Metric>(found - names.begin()));
}

std::string name_of(const SweepSetting& setting) {
  return setting.values.empty() && setting.label == as_it_is ? "{}" : shown(setting.label);
}

SweepFile parse_sweep(std::string_view text, std::string_view file, const fs::path& root) {
  const ConfigNode document =
      parse_document(text, file,
                     {.least = "the shortest sweep is `{config: configs/copy.yaml, seeds: 3}`",
                      .parts = "a sweep's entries (config, set, seeds, axes, metric, ...)"});
  return SweepReader(file, root).read(document);
}

SweepFile read_sweep(const fs::path& file, const fs::path& root) {
  return parse_sweep(read_config_text(file), file.string(), root);
}

}  // namespace tapehead
