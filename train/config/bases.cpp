#include "train/config/bases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "train/config/config.hpp"

namespace tapehead {
namespace {

namespace fs = std::filesystem;

// Takes the entry `base` out of a document.
std::optional<ConfigEntry> take_base(ConfigNode& root) {
  const auto found = std::ranges::find(root.entries, base_key, &ConfigEntry::key);
  if (found == root.entries.end()) {
    return {};
  }
  ConfigEntry entry = std::move(*found);
  root.entries.erase(found);
  return entry;
}

[[noreturn]] void fail_at_base(const ConfigSource& source, const ConfigEntry& entry,
                               std::string_view problem) {
  fail_at(source.file, entry.value.mark, fmt::format("{}: {}", base_key, problem));
}

// One file has one identity, whatever path leads to it.
fs::path identity(const std::string& file) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(file, ignored);
  return real.empty() ? fs::path(file) : real;
}

// Without "x/..", if it means the same file: x may be a link.
fs::path shortened(const fs::path& path) {
  std::error_code ignored;
  const fs::path shorter = path.lexically_normal();
  return fs::equivalent(path, shorter, ignored) ? shorter : path;
}

std::string path_of(const ConfigSource& source, const ConfigEntry& entry) {
  if (entry.value.kind != ConfigNode::Kind::scalar || entry.value.text.empty()) {
    fail_at_base(source, entry, "expected the path of a config file");
  }
  return shortened(fs::path(source.file).parent_path() / entry.value.text).string();
}

// `sources` begins with the document itself.
void expect_no_cycle(const std::vector<ConfigSource>& sources, const ConfigEntry& entry,
                     const std::string& base) {
  const auto same = [&](const ConfigSource& source) {
    return identity(source.file) == identity(base);
  };
  const auto found = std::ranges::find_if(sources, same);
  if (found == sources.end()) {
    return;
  }
  std::string cycle;
  for (auto source = found; source != sources.end(); ++source) {
    cycle += shown(source->file) + " -> ";
  }
  fail_at_base(sources.back(), entry,
               fmt::format("a config cannot inherit from itself ({}{})", cycle, shown(base)));
}

ConfigSource read_base(const ConfigSource& from, const ConfigEntry& entry,
                       const std::string& file) {
  std::string text;
  try {
    text = read_config_text(file);
  } catch (const ConfigError& error) {
    fail_at_base(from, entry, error.what());
  }
  return {.file = file, .root = parse_document(text, file)};
}

}  // namespace

std::vector<ConfigSource> with_bases(ConfigNode root, std::string_view file) {
  std::vector<ConfigSource> sources;
  sources.push_back({.file = std::string(file), .root = std::move(root)});
  while (const std::optional<ConfigEntry> entry = take_base(sources.back().root)) {
    const std::string base = path_of(sources.back(), *entry);
    expect_no_cycle(sources, *entry, base);
    sources.push_back(read_base(sources.back(), *entry, base));
  }
  std::ranges::reverse(sources);
  return sources;
}

}  // namespace tapehead
