// The error message of the config reader for a rejected text.
#pragma once

#include "train/config/config.hpp"

namespace tapehead {

// The message, or "accepted".
inline std::string config_error(std::string_view text,
                                const std::vector<std::string>& overrides = {},
                                std::string_view file = "a.yaml") {
  try {
    parse_config(text, file, overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tapehead
