// Inheritance between config files: `base: other.yaml`, the file whose options a config starts
// from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/document/document.hpp"

namespace tapehead {

// The key that names the base, outside any section.
constexpr std::string_view base_key = "base";

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

}  // namespace tapehead
