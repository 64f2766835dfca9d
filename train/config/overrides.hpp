// Overrides: `section.option=value`, as the command line gives them.
#pragma once

#include <string>
#include <vector>

#include "train/config/document.hpp"

namespace tapehead {

struct Override {
  std::string section;  // empty for an option outside any section
  std::string option;
  ConfigNode value;
  std::string place;  // "--set model.heads=7", for messages
};

// The value is taken as it stands, without quotes or escapes; `null` and `~` are null, and what
// begins with `[` is a list as in YAML. Throws ConfigError for what has no `=`.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);

}  // namespace tapehead
