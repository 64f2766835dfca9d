// Loads a config from text or from a file, with its bases and, for a run, its written.yaml.
// Suggests another file name if the file does not exist.
#include <spdlog/spdlog.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "core/text.hpp"
#include "train/config/overrides.hpp"
#include "train/config/rows.hpp"

namespace tapehead {
namespace {

// "; did you mean ...?" with the most similar file name in the directory, or empty.
std::string suggestion(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path name = entry->path().filename();
    const std::string extension = name.extension().string();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") {
      names.push_back(name.string());
    }
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = nearest(file.filename().string(), candidates);
  return near ? fmt::format("; did you mean {}?", shown((file.parent_path() / *near).string()))
              : "";
}

// The canonical path: the same for all paths that lead to the same file.
fs::path identity(const std::string& file) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(file, ignored);
  return real.empty() ? fs::path(file) : real;
}

// Removes the entry `base` from a document and returns it, if there is one.
std::optional<ConfigEntry> take_base(ConfigNode& root) {
  const auto found = std::ranges::find(root.entries, base_key, &ConfigEntry::key);
  if (found == root.entries.end()) {
    return {};
  }
  ConfigEntry entry = std::move(*found);
  root.entries.erase(found);
  return entry;
}

// Reads the base that `entry` of the last source names. `sources`: the document itself, then its
// bases in the order of reading.
ConfigSource read_base(const std::vector<ConfigSource>& sources, const ConfigEntry& entry) {
  const auto fail = [&](std::string_view problem) {
    fail_at(sources.back().file, entry.value.mark, fmt::format("{}: {}", base_key, problem));
  };
  if (entry.value.kind != ConfigNode::Kind::scalar || entry.value.text.empty()) {
    fail("expected the path of a config file");
  }
  const fs::path path = fs::path(sources.back().file).parent_path() / entry.value.text;
  // Without "x/..", unless that is another file because x is a link.
  std::error_code ignored;
  const fs::path shorter = path.lexically_normal();
  const std::string file = (fs::equivalent(path, shorter, ignored) ? shorter : path).string();
  std::string cycle;
  for (const ConfigSource& source : sources) {
    if (!cycle.empty() || identity(source.file) == identity(file)) {
      cycle += shown(source.file) + " -> ";
    }
  }
  if (!cycle.empty()) {
    fail(fmt::format("a config cannot inherit from itself ({}{})", cycle, shown(file)));
  }
  if (fs::is_other(status_of(file))) {
    fail(shown(file) + ": not a regular file");
  }
  std::string text;
  try {
    text = read_config_text(file);
  } catch (const ConfigError& error) {
    fail(error.what());
  }
  return {.file = file, .root = parse_document(text, file)};
}

// The written.yaml beside a run's config.yaml, if any. Throws IoError if it is no regular file.
std::optional<ConfigSource> written_beside(const fs::path& config) {
  const fs::path file = config.parent_path() / "written.yaml";
  if (config.filename() != "config.yaml" || !fs::exists(link_status_of(file))) {
    return {};
  }
  const std::string name = file.string();
  if (!fs::is_regular_file(status_of(file))) {
    throw IoError("cannot read {}: it is not a regular file", shown(name));
  }
  const std::string text = read_config_text(file);
  return ConfigSource{
      .file = name, .root = parse_document(text, name), .origins = origins_in(text)};
}

LoadedConfig load(const fs::path& file, const std::vector<Override>& overrides,
                  const std::optional<ConfigSource>& written) {
  const std::string name = file.string();
  const auto sources = with_bases(parse_document(read_config_text(file), name), name);
  return written ? override_run(sources, *written, overrides) : override_config(sources, overrides);
}

}  // namespace

std::string read_config_text(const fs::path& file) {
  std::error_code unknown;  // the open says what it is
  const fs::file_status status = fs::status(file, unknown);
  if (status.type() == fs::file_type::not_found) {
    throw ConfigError("{}: no such file{}", shown(file.string()), suggestion(file));
  }
  if (fs::is_directory(status)) {
    throw ConfigError("{}: a directory, not a config file", shown(file.string()));
  }
  // One byte more than the largest config: parse_document rejects larger texts.
  std::string text((std::size_t{1} << 20) + 1, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    const std::error_code reason(errno, std::generic_category());
    throw ConfigError("{}: cannot be read: {}", shown(file.string()), reason.message());
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::vector<ConfigSource> with_bases(ConfigNode root, std::string_view file) {
  std::vector<ConfigSource> sources;
  sources.push_back({.file = std::string(file), .root = std::move(root)});
  while (const auto base = take_base(sources.back().root)) {
    sources.push_back(read_base(sources, *base));
  }
  std::ranges::reverse(sources);
  return sources;
}

LoadedConfig load_config(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_with_overrides(file, parse_overrides(overrides));
}

LoadedConfig load_with_overrides(const fs::path& file, const std::vector<Override>& overrides) {
  return load(file, overrides, overrides.empty() ? std::nullopt : written_beside(file));
}

void expect_no_base(const fs::path& config) {
  ConfigNode root = parse_document(read_config_text(config), config.string());
  if (const auto base = take_base(root)) {
    fail_at(config.string(), base->mark, "base: the config of a run has none");
  }
}

LoadedConfig load_chosen(const fs::path& file, const std::vector<std::string>& overrides) {
  LoadedConfig loaded = load_config(file, overrides);
  if (!overrides.empty()) {
    return loaded;
  }
  try {
    if (const auto written = written_beside(file)) {
      return load(file, {}, written);
    }
  } catch (const std::exception& problem) {
    spdlog::warn("{}; until this is fixed, every option of {} counts as chosen", problem.what(),
                 shown(file.string()));
  }
  return loaded;
}

LoadedConfig parse_config(std::string_view text, std::string_view file_name,
                          const std::vector<std::string>& overrides) {
  return override_config(
      {{.file = std::string(file_name), .root = parse_document(text, file_name)}},
      parse_overrides(overrides));
}

}  // namespace tapehead
