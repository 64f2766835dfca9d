// The config: reads it from YAML or JSON, checks and resolves it, and writes it as YAML, schema and
// reference.
#pragma once

#include "train/options/options.hpp"

namespace tapehead {

struct WrittenOption {
  std::string option;  // "model.d_model"
  std::string value;   // as dump_config writes it, but before `auto` is resolved
  std::string origin;  // "configs/copy.yaml:7:12" or "--set"
};

// What was chosen for a run: the options of a config file, its bases and `--set`, merged, in the
// order of the rows. A preset is an option like any other: its values are not among them.
using Written = std::vector<WrittenOption>;

struct LoadedConfig {
  Config config;
  // The origin of each option's value: "model.d_model" -> "configs/copy.yaml:7:12", "--set",
  // "preset llama", "default", or "auto" (it followed from other options).
  std::map<std::string, std::string> origins;
  std::vector<std::filesystem::path> files{};  // the config file, and those that it inherits from
  std::optional<Written> written{};
};

// Reads a config file and the files that it inherits from (`base: other.yaml`; its own options
// replace theirs), applies `overrides` ("section.option=value"; if an option occurs several times,
// the last one counts), checks everything and resolves every `auto` that depends only on the
// config. A run's config.yaml is changed by overrides as its written.yaml would be (override_run).
// Throws ConfigError: "file:line:column: section.option: what is wrong (the value; what is
// allowed)", or "--set section.option=value: ...". Does not create anything.
LoadedConfig load_config(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides = {});

// The same, for a command that stores or shows what was chosen: it reads the written.yaml of a run
// without overrides, too. If it cannot be used then, it warns, and all of config.yaml was chosen.
LoadedConfig load_chosen(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides);

// The same for text in memory; messages and origins use `file_name`. Valid JSON is read as JSON;
// anything else as YAML, unless the name ends in .json.
LoadedConfig parse_config(std::string_view text, std::string_view file_name,
                          const std::vector<std::string>& overrides = {});

// The text of a config file; if the file is larger than any config, only its beginning. Throws
// ConfigError; for a misspelt name the message gives the most likely one.
std::string read_config_text(const std::filesystem::path& file);

// Sets each `auto` that follows from other options. The intervals of evaluations and checkpoints
// stay absent if they are one epoch, since they depend on the data. Limits of the run that are not
// set stay absent too, except that `epochs` becomes 10 if there is no limit at all.
void resolve(Config& config);

struct PresetValue {
  std::string_view option;  // "model.norm"
  std::string_view value;   // as a config has it
};

// What the preset of the config's model gives to the options that the config does not set. The
// family decides only which embeddings there are to tie, and the task what is before and in the
// output layer.
std::vector<PresetValue> preset_values(const Config& config);

// The options that follow this one, if it does nothing but give values to them, such as
// `model.dropout`; otherwise none. The config decides which options a preset sets.
std::vector<std::string> followers(const Config& config, std::string_view option);

// The number of shards: about a thousand tokens for each, so that summing gradients takes little
// time compared with the work on the shard. At least 2, so that two cores can share a step; at most
// 8, since each shard has a set of gradients. It depends only on the config, not on the machine,
// because it changes the bits of the result.
Index automatic_shards(Index batch_tokens);

// All options as YAML, in the order of the rows. A resolved config that is written and read again
// is the same.
std::string dump_config(const Config& config);

// The same as one JSON object, by section; an absent value is null.
std::string config_json(const Config& config);

// The options of one section, without its heading.
std::string dump_section(const Config& config, std::string_view section);

// The whole config, with an aligned comment on each line that gives the origin of its value: of
// what was chosen for a run, the first one.
std::string dump_config_with_origins(const LoadedConfig& loaded);

// The text of a run's written.yaml, beside its config.yaml, which has every option resolved: a
// config with these options alone, and with the origin of each in a comment behind it. It depends
// on nothing else.
std::string written_text(const Written& written);

// The origins in such a text, by line. A line that has lost its comment has none.
std::map<Index, std::string> origins_in(std::string_view text);

// Each option by its full name, with its value as dump_config writes it, in the order of the rows.
using OptionValues = std::vector<std::pair<std::string, std::string>>;
OptionValues option_values(const Config& config);

// Where two configs differ: "section.option: the one's, not the other's", in the order of the
// rows. Options of another task are left out, and so are those that do not count.
using Counts = std::function<bool(std::string_view option, const Field& field)>;
std::vector<std::string> differences(const Config& one, const Config& other, const Counts& counts);

// The same for a run's config and that of a file, without the options that were set with `--set`
// and those that follow from others.
std::vector<std::string> differences(const LoadedConfig& run, const Config& file);

// The options of a resolved config's model by their full names, with their values as dump_config
// writes them. Options that do not change the meaning of weights (Field::keeps_meaning) are left
// out.
std::map<std::string, std::string> meaning_of(const Config& config);

// The options because of which weights of `theirs` mean something else in `ours`, such as
// "model.activation: relu, not gelu", sorted by name.
std::vector<std::string> meaning_differences(const Config& theirs, const Config& ours);

// Three of them, and the number of the others, since one option may decide many others. Those of
// the section `model`, which decide those of each attention, come first.
std::string some_of(std::vector<std::string> differences);

std::string config_schema();     // JSON Schema, draft 2020-12
std::string config_reference();  // Markdown: docs/config.md

}  // namespace tapehead
