// Reads a config from YAML or JSON, checks and resolves it. Writes configs as YAML or JSON, and the
// JSON Schema and the reference of all options.
#pragma once

#include "train/options/options.hpp"

namespace tapehead {

struct WrittenOption {
  std::string option;  // "model.d_model"
  std::string value;   // as dump_config writes it, but before `auto` is resolved
  std::string origin;  // "configs/copy.yaml:7:12" or "--set"
};

// The options that were chosen for a run in a config file, its bases or `--set`, merged and in the
// order of the rows. A chosen preset is included; the values that it sets are not.
using Written = std::vector<WrittenOption>;

struct LoadedConfig {
  Config config;
  // Maps each option to the origin of its value: "model.d_model" -> "configs/copy.yaml:7:12",
  // "--set", "preset llama", "default", or "auto" (resolved from other options).
  std::map<std::string, std::string> origins;
  std::vector<fs::path> files{};  // the config file, and those that it inherits from
  std::optional<Written> written{};
};

// Reads a config file and its bases (`base: other.yaml`). Options of the file replace options of
// its bases. Applies `overrides` ("section.option=value"; if an option occurs several times, the
// last one counts), checks all rules and resolves every `auto` that depends only on the config.
// Overrides of a run's config.yaml go through its written.yaml (override_run). Throws ConfigError:
// "file:line:column: section.option: what is wrong (the value; what is allowed)", or "--set
// section.option=value: ...". Creates no files.
LoadedConfig load_config(const fs::path& file, const std::vector<std::string>& overrides = {});

// Throws ConfigError if a run's config.yaml has a base: it could make any command read any file.
void expect_no_base(const fs::path& config);

// load_config for commands that store or show what was chosen: reads a run's written.yaml even
// without overrides. If that fails, it warns and counts every option of config.yaml as chosen.
LoadedConfig load_chosen(const fs::path& file, const std::vector<std::string>& overrides);

// load_config for text in memory, which has no base; messages and origins use `file_name`. Valid
// JSON is read as JSON; anything else as YAML, unless the name ends in .json.
LoadedConfig parse_config(std::string_view text, std::string_view file_name,
                          const std::vector<std::string>& overrides = {});

// Returns the text of a config file, or only its beginning if the file is larger than any config.
// Throws ConfigError; if the file's name is misspelt, the message gives the most likely name.
std::string read_config_text(const fs::path& file);

// Sets each `auto` that follows from other options. Intervals of evaluations and checkpoints stay
// absent if they are one epoch, because an epoch's length depends on the data. Unset limits of the
// run stay absent, except that `epochs` becomes 10 if no limit is set.
void resolve(Config& config);

struct PresetValue {
  std::string_view option;  // "model.norm"
  std::string_view value;   // as a config has it
};

// The values that the config's preset gives to options that the config does not set. Family and
// task change only the tying of embeddings, the head transform and the output bias.
std::vector<PresetValue> preset_values(const Config& config);

// The options that take their values from `option`, if `option` has no other effect, as for
// `model.dropout`; otherwise empty. The options that a preset sets depend on the config.
std::vector<std::string> followers(const Config& config, std::string_view option);

// The number of shards: about a thousand tokens for each, so that summing gradients takes little
// time compared with the work on the shard. At least 2, so that two cores can share a step; at most
// 8, since each shard has a set of gradients. It depends only on the config, not on the machine,
// because it changes the bits of the result.
Index automatic_shards(Index batch_tokens);

// All options as YAML, in the order of the rows. Writing and reading a resolved config gives the
// same config.
std::string dump_config(const Config& config);

// All options as one JSON object, by section; an absent value is null.
std::string config_json(const Config& config);

// The options of one section as YAML, without the heading.
std::string dump_section(const Config& config, std::string_view section);

// dump_config with an aligned comment on each line that gives the origin of the value. For an
// option that was chosen for a run, this is the origin of that choice.
std::string dump_config_with_origins(const LoadedConfig& loaded);

// The text of a run's written.yaml: a config with only these options, each with its origin in a
// comment behind the value. (The run's config.yaml has every option, resolved.)
std::string written_text(const Written& written);

// The origins in the text of a written.yaml, by line number. A line without a comment has no entry.
std::map<Index, std::string> origins_in(std::string_view text);

// Each option by its full name, with its value as dump_config writes it, in the order of the rows.
using OptionValues = std::vector<std::pair<std::string, std::string>>;
OptionValues option_values(const Config& config);

// The options in which two configs differ: "section.option: value in `one`, not value in `other`",
// in the order of the rows. Leaves out options that only one config has, and options for which
// `counts` is false.
using Counts = std::function<bool(std::string_view option, const Field& field)>;
std::vector<std::string> differences(const Config& one, const Config& other, const Counts& counts);

// The options in which the config of a run differs from the config of a file, without options whose
// origin in the run is "--set" or "auto".
std::vector<std::string> differences(const LoadedConfig& run, const Config& file);

// The model options of a resolved config that decide what the weights mean, without options marked
// Field::keeps_meaning. Maps full names to values as dump_config writes them.
std::map<std::string, std::string> meaning_of(const Config& config);

// The options that give the weights of `theirs` another meaning in `ours`, such as
// "model.activation: relu, not gelu", sorted by name.
std::vector<std::string> meaning_differences(const Config& theirs, const Config& ours);

// At most three differences as one text, and the number of further ones. Differences in the section
// `model` come first, because they decide the options of each attention.
std::string some_of(std::vector<std::string> differences);

std::string config_schema();     // JSON Schema, draft 2020-12
std::string config_reference();  // Markdown: docs/config.md

}  // namespace tapehead
