// The config: read from YAML or JSON, checked, resolved, and written out as YAML, schema and
// reference.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "train/options/options.hpp"

namespace tapehead {

struct LoadedConfig {
  Config config;
  // Where each option's value came from: "model.d_model" -> "configs/copy.yaml:7:12", "--set",
  // "default", or "auto" (it followed other options).
  std::map<std::string, std::string> origins;
};

// Reads a config file, applies `overrides` ("section.option=value", the last one of an option
// wins), checks everything and resolves every `auto` that the config alone decides. Throws
// ConfigError: "file:line:column: section.option: what is wrong (the value; what is allowed)", or
// "--set section.option=value: ...". Creates nothing.
LoadedConfig load_config(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides = {});

// The same for text in memory; `file_name` stands in messages and origins. Valid JSON is read as
// JSON; anything else as YAML, unless the name ends in .json.
LoadedConfig parse_config(std::string_view text, std::string_view file_name,
                          const std::vector<std::string>& overrides = {});

// The text of a config file, the beginning of one that is larger than any config is. Throws
// ConfigError, where a name is misspelt with the likeliest one.
std::string read_config_text(const std::filesystem::path& file);

// Writes out each `auto` that follows from other options. Evaluation and checkpoint intervals of
// an epoch stay absent, since the data decides them; so do limits of the run that are not set,
// but for `epochs`, which becomes 10 when there is no limit at all.
void resolve(Config& config);

// About a thousand tokens' work a shard, so that summing gradients stays cheap beside it; at least
// 2, so that two cores can share a step, and at most 8, since each shard holds a set of gradients.
// Of the config alone, never of the machine: the cut decides the bits.
Index automatic_shards(Index batch_tokens);

// Every option as YAML, in the order of the rows; a resolved config reads back as it was.
std::string dump_config(const Config& config);

// The options of one section, without its head.
std::string dump_section(const Config& config, std::string_view section);

// The whole config, each line with an aligned comment that says where its value came from.
std::string dump_config_with_origins(const LoadedConfig& loaded);

// Each option by its full name, with its value as the dump has it, in the order of the rows.
std::vector<std::pair<std::string, std::string>> option_values(const Config& config);

// Where a run's config has other values than a file: "section.option: the run's, not the file's",
// in the order of the rows. Options that `--set` gave are left out, and those of another task.
std::vector<std::string> differences(const LoadedConfig& run, const Config& file);

std::string config_schema();     // JSON Schema, draft 2020-12
std::string config_reference();  // Markdown: docs/config.md

}  // namespace tapehead
