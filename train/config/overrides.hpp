// Overrides: `section.option=value`, as the command line gives them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/config/config.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {

struct Override {
  std::string section;  // empty for an option outside any section
  std::string option;
  ConfigNode value;
  std::string text;  // the value as it was written
  // "--set model.heads=7", for messages about the value and about the name.
  std::string place;
  std::string name_place;
};

// The value is taken as it stands, without quotes or escapes; `null` and `~` are null, and what
// begins with `[` is a list as in YAML. Throws ConfigError for what has no `=`.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);

// load_config with overrides that may stand anywhere.
LoadedConfig load_with_overrides(const std::filesystem::path& file,
                                 const std::vector<Override>& overrides);

}  // namespace tapehead
