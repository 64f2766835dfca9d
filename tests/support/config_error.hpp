// The error message of the config reader for a rejected text.
#pragma once

#include "tests/support/testing.hpp"
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

// A config and what its error begins with after the name of the file: place and option, such as
// "2:9: model.heads", or the option alone if a test does not know the place. An override that is to
// blame is named instead: "--set model.heads=7"; if `overrides` is empty, it is the only one. The
// error has `words`, too.
struct ConfigCase {
  std::string text;
  std::string place;  // or "accepted"
  std::string words = {};
  std::vector<std::string> overrides = {};
};

inline void expect_config_errors(const std::vector<ConfigCase>& cases,
                                 const std::string& file = "a.yaml") {
  for (const auto& [text, place, words, overrides] : cases) {
    SCOPED_TRACE(fmt::format("{} --set {}, {}", text.substr(0, 500), overrides, place));
    const std::string set =
        place.starts_with("--set ") ? place.substr(6, place.find(": ") - 6) : "";
    const bool only = overrides.empty() && !set.empty();
    const std::string error =
        config_error(text, only ? std::vector<std::string>{set} : overrides, file);
    if (place == "accepted") {
      EXPECT_EQ(error, "accepted");
      continue;
    }
    const std::string begin = !set.empty()           ? place + ": "
                              : place.empty()        ? file + ": "
                              : place.front() <= '9' ? file + ":" + place + ": "
                                                     : file + ":";
    EXPECT_THAT(error, AllOf(StartsWith(begin), HasSubstr(words)));
    if (begin.back() == ':') {
      EXPECT_THAT(error, HasSubstr(": " + place + ": "));
    }
  }
}

// Expects these options and values, each written as "model.norm: layer_norm".
inline void expect_options(const Config& config, const std::vector<std::string>& expected) {
  const auto options =
      mapped(option_values(config), [](const auto& one) { return one.first + ": " + one.second; });
  for (const std::string& option : expected) {
    EXPECT_THAT(options, Contains(option));
  }
}

}  // namespace tapehead
