// The settings of a model in its config.json, read one by one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/types.hpp"

namespace tapehead {

// Each function throws ConfigError that names the file and the setting.
class TheirConfig {
 public:
  // Neither argument is copied.
  TheirConfig(const nlohmann::ordered_json& json, const std::filesystem::path& file)
      : json_(json), file_(file) {}

  const nlohmann::ordered_json& json() const { return json_; }
  const std::filesystem::path& file() const { return file_; }

  bool has(const char* setting) const;  // and it is not null
  Index count(const char* setting) const;
  Index count(const char* setting, Index otherwise) const;
  double number(const char* setting, double otherwise) const;
  bool flag(const char* setting, bool otherwise) const;
  std::string text(const char* setting, const std::string& otherwise) const;
  std::string first_text(const char* setting) const;  // of a list; empty: there is none
  std::vector<Index> ids(const char* setting) const;  // a list, empty if it is absent
  std::vector<std::vector<Index>> id_lists(const char* setting) const;  // likewise
  const nlohmann::ordered_json* object(const char* setting) const;      // null: absent
  // The settings in an object, which errors call `setting`.name; absent: none of them is there.
  TheirConfig group(const char* setting) const;

  // For settings that only one value of is possible here; absent or null is that value.
  void expect(const char* setting, const nlohmann::ordered_json& only) const;

  [[noreturn]] void refuse(const std::string& setting, const std::string& why) const;

 private:
  using IsKind = bool (nlohmann::ordered_json::*)() const noexcept;

  // Null: absent. Throws if it is not of the kind, which `what` names.
  const nlohmann::ordered_json* found(const char* setting, IsKind is_kind, const char* what) const;

  std::vector<Index> ids_in(const nlohmann::ordered_json& list, const char* setting) const;

  const nlohmann::ordered_json& json_;
  const std::filesystem::path& file_;
  std::string group_;  // what stands before its settings in errors, such as "rope_scaling."
};

}  // namespace tapehead
