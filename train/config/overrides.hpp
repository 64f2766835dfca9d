// The sources of a config: its document, the files that it inherits from (`base: other.yaml`), and
// overrides from the command line (`section.option=value`).
#pragma once

#include "train/config/config.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {

// A document without its entry `base`, and the document's file.
struct ConfigSource {
  std::string file;
  ConfigNode root;
  std::map<Index, std::string> origins{};  // by line, of options that another file or --set gave
};

// Returns a document with its bases. The document is last; the base that has no base itself is
// first. Options of a later source replace options of an earlier one. The path of a base is
// relative to the directory of the file that names it. Throws ConfigError with the place of a
// `base` that does not exist, or that leads back to a file that inherits from it.
std::vector<ConfigSource> with_bases(ConfigNode root, std::string_view file);

struct Override {
  std::string section;  // empty for an option outside any section
  std::string option;
  ConfigNode value;
  std::string text;  // the value as it was written
  // "--set model.heads=7", for messages about the value or the name.
  std::string place;
  std::string name_place;
  std::string origin = "--set";  // of the option's value
};

std::string full_name(const Override& value);  // "section.option"

// A value is taken literally: quotes and escapes have no meaning. `null` and `~` are null. A value
// that begins with `[` is a list as in YAML. Throws ConfigError if there is no `=`.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);

// The config of these documents, checked and resolved. An override replaces only the value of its
// own option in the documents.
LoadedConfig read_config(const std::vector<ConfigSource>& sources,
                         const std::vector<Override>& overrides);

// Like read_config, but also throws ConfigError for an override without effect: every option that
// would follow the overridden option has its own value in the documents.
LoadedConfig override_config(const std::vector<ConfigSource>& sources,
                             const std::vector<Override>& overrides);

// The config that a run stores, with the changes that the overrides make to the resolved
// written.yaml. Everything else stays as stored, so changes of defaults since the run began have no
// effect. Throws ConfigError that names an option whose values in `written` and in the stored
// config differ, unless an override sets it.
LoadedConfig override_run(const std::vector<ConfigSource>& stored, const ConfigSource& written,
                          const std::vector<Override>& overrides);

// load_config with parsed overrides, which carry their own places for messages.
LoadedConfig load_with_overrides(const fs::path& file, const std::vector<Override>& overrides);

}  // namespace tapehead
