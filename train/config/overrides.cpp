// Parses overrides, which are split at the first `=` and the first `.`.
#include "train/config/overrides.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "core/text.hpp"

namespace tapehead {
namespace {

Override parse_override(const std::string& text) {
  check_characters(text, "--set");
  const std::string place = "--set " + shown(text);
  const std::size_t equals = text.find('=');
  const std::string_view name = trimmed(std::string_view(text).substr(0, equals));
  if (equals == std::string::npos || name.empty()) {
    throw ConfigError(fmt::format("{}: not of the form section.option=value", place));
  }
  Override result;
  result.place = place;
  result.name_place = place;
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) result.section = name.substr(0, dot);
  result.option = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
  result.text = value;
  if (value.starts_with('[')) {
    result.value = parse_yaml(value, place);
    return result;
  }
  const bool null = value == "null" || value == "~";
  result.value.kind = null ? ConfigNode::Kind::null : ConfigNode::Kind::scalar;
  result.value.text = value;
  return result;
}

}  // namespace

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  overrides.reserve(texts.size());
  for (const std::string& text : texts) overrides.push_back(parse_override(text));
  return overrides;
}

}  // namespace tapehead
