#include "interchange/their_config.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"

namespace tapehead {

namespace {

constexpr Index most = 1'000'000'000;

}  // namespace

bool TheirConfig::has(const char* setting) const {
  const auto found = json_.find(setting);
  return found != json_.end() && !found->is_null();
}

Index TheirConfig::count(const char* setting) const {
  if (!has(setting)) {
    refuse(setting, "it is missing");
  }
  return count(setting, 0);
}

Index TheirConfig::count(const char* setting, Index otherwise) const {
  if (!has(setting)) {
    return otherwise;
  }
  const auto& value = json_[setting];
  if (!value.is_number_integer() || value.get<Index>() < 1 || value.get<Index>() > most) {
    refuse(setting, fmt::format("{} is no whole number from 1 on", shown(value.dump())));
  }
  return value.get<Index>();
}

const nlohmann::ordered_json* TheirConfig::found(const char* setting, IsKind is_kind,
                                                 const char* what) const {
  if (!has(setting)) {
    return nullptr;
  }
  const auto& value = json_[setting];
  if (!(value.*is_kind)()) {
    refuse(setting, fmt::format("{} is {}", shown(value.dump()), what));
  }
  return &value;
}

double TheirConfig::number(const char* setting, double otherwise) const {
  const auto* const value = found(setting, &nlohmann::ordered_json::is_number, "no number");
  return value == nullptr ? otherwise : value->get<double>();
}

bool TheirConfig::flag(const char* setting, bool otherwise) const {
  const auto* const value =
      found(setting, &nlohmann::ordered_json::is_boolean, "neither true nor false");
  return value == nullptr ? otherwise : value->get<bool>();
}

std::string TheirConfig::text(const char* setting, const std::string& otherwise) const {
  const auto* const value = found(setting, &nlohmann::ordered_json::is_string, "no text");
  return value == nullptr ? otherwise : value->get<std::string>();
}

std::string TheirConfig::first_text(const char* setting) const {
  const auto* const list = found(setting, &nlohmann::ordered_json::is_array, "no list");
  const bool given = list != nullptr && !list->empty() && list->front().is_string();
  return given ? list->front().get<std::string>() : "";
}

std::vector<Index> TheirConfig::ids_in(const nlohmann::ordered_json& list,
                                       const char* setting) const {
  std::vector<Index> ids;
  for (const auto& id : list) {
    if (!id.is_number_unsigned()) {
      refuse(setting, fmt::format("{} is no id", shown(id.dump())));
    }
    ids.push_back(id.get<Index>());
  }
  return ids;
}

std::vector<Index> TheirConfig::ids(const char* setting) const {
  const auto* const list = found(setting, &nlohmann::ordered_json::is_array, "no list");
  return list == nullptr ? std::vector<Index>{} : ids_in(*list, setting);
}

std::vector<std::vector<Index>> TheirConfig::id_lists(const char* setting) const {
  const auto* const lists = found(setting, &nlohmann::ordered_json::is_array, "no list");
  std::vector<std::vector<Index>> ids;
  for (std::size_t i = 0; lists != nullptr && i < lists->size(); ++i) {
    if (!(*lists)[i].is_array()) {
      refuse(setting, fmt::format("{} is no list of ids", shown((*lists)[i].dump())));
    }
    ids.push_back(ids_in((*lists)[i], setting));
  }
  return ids;
}

const nlohmann::ordered_json* TheirConfig::object(const char* setting) const {
  return found(setting, &nlohmann::ordered_json::is_object, "no object");
}

TheirConfig TheirConfig::group(const char* setting) const {
  static const nlohmann::ordered_json none = nlohmann::ordered_json::object();
  const auto* const settings = object(setting);
  TheirConfig group(settings == nullptr ? none : *settings, file_);
  group.group_ = fmt::format("{}{}.", group_, setting);
  return group;
}

void TheirConfig::expect(const char* setting, const nlohmann::ordered_json& only) const {
  if (has(setting) && json_[setting] != only) {
    refuse(setting, fmt::format("{} cannot be done here, only {}", shown(json_[setting].dump()),
                                only.dump()));
  }
}

void TheirConfig::refuse(const std::string& setting, const std::string& why) const {
  throw ConfigError(fmt::format("{}: {}{}: {}", file_.string(), group_, setting, why));
}

}  // namespace tapehead
