// Overrides: `section.option=value` from the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/config/bases.hpp"
#include "train/config/config.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {

struct Override {
  std::string section;  // empty for an option outside any section
  std::string option;
  ConfigNode value;
  std::string text;  // the value as it was written
  // "--set model.heads=7", for messages about the value or the name.
  std::string place;
  std::string name_place;
};

std::string full_name(const Override& value);  // "section.option"

// The value is taken literally, without quotes or escapes. `null` and `~` are null. A value that
// begins with `[` is a list as in YAML. Throws ConfigError if there is no `=`.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);

// The config of these documents, checked and resolved. Overrides replace values of the documents
// and change no others.
LoadedConfig read_config(const std::vector<ConfigSource>& sources,
                         const std::vector<Override>& overrides);

// The same, but if the documents have every option of the model written out, as a run stores its
// config, those values that follow from the other values follow the overrides too: `model.dropout`
// decides each dropout that equals it. Throws ConfigError for an override of an option that only
// others follow, if all that would follow it have values of their own in the documents.
LoadedConfig override_config(const std::vector<ConfigSource>& sources,
                             const std::vector<Override>& overrides);

// load_config with overrides that have any place in messages.
LoadedConfig load_with_overrides(const std::filesystem::path& file,
                                 const std::vector<Override>& overrides);

}  // namespace tapehead
