// What a config is read from: its document and the files that it inherits from, `base: other.yaml`;
// overrides, `section.option=value` from the command line.
#pragma once

#include "train/config/config.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {

// A document without its `base`, and the file that it comes from.
struct ConfigSource {
  std::string file;
  ConfigNode root;
  std::map<Index, std::string> origins{};  // of options that come from elsewhere, by line
};

// A document and all that it inherits from: the one without a base first, the document itself last.
// So options of later sources replace those of earlier ones. The path of a base starts at the
// directory of the file that names it. Throws ConfigError with the place of a `base` that does not
// exist, or that leads back to a file that inherits from it.
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

// The value is taken literally, without quotes or escapes. `null` and `~` are null. A value that
// begins with `[` is a list as in YAML. Throws ConfigError if there is no `=`.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);

// The config of these documents, checked and resolved. Overrides replace values of the documents
// and change no others.
LoadedConfig read_config(const std::vector<ConfigSource>& sources,
                         const std::vector<Override>& overrides);

// The same, but throws ConfigError for an override that changes nothing because all options that
// would follow it have values of their own in the documents.
LoadedConfig override_config(const std::vector<ConfigSource>& sources,
                             const std::vector<Override>& overrides);

// The config that a run stores, changed where the overrides change what is resolved from its
// written.yaml, and nowhere else: defaults of today do not get into a run that began with others.
// Throws ConfigError that names an option of `written` that is not so in the run's config, unless
// it is overridden.
LoadedConfig override_run(const std::vector<ConfigSource>& stored, const ConfigSource& written,
                          const std::vector<Override>& overrides);

// load_config with overrides that have any place in messages.
LoadedConfig load_with_overrides(const std::filesystem::path& file,
                                 const std::vector<Override>& overrides);

}  // namespace tapehead
