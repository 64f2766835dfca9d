// Reads a model in Hugging Face's layout: the settings in config.json, and the tensors, in one file
// or in several with an index.
#pragma once

#include <nlohmann/json.hpp>

#include "core/files/tensor_file.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

// Reads settings one by one. Each function throws ConfigError that names the file and the setting.
class TheirConfig {
 public:
  // Neither argument is copied.
  TheirConfig(const Json& json, const fs::path& file) : json_(json), file_(file) {}

  const Json& json() const { return json_; }
  const fs::path& file() const { return file_; }

  bool has(const char* setting) const;  // false if it is null
  Index count(const char* setting, std::optional<Index> otherwise = {}) const;
  double number(const char* setting, double otherwise) const {
    return value(setting, &Json::is_number, "no number", otherwise);
  }
  bool flag(const char* setting, bool otherwise) const {
    return value(setting, &Json::is_boolean, "neither true nor false", otherwise);
  }
  std::string text(const char* setting, const std::string& otherwise) const {
    return value(setting, &Json::is_string, "no text", otherwise);
  }
  std::string first_text(const char* setting) const;   // the first item of a list; empty: absent
  std::vector<Index> ids(const char* setting) const {  // a list; empty: absent
    return ids_in(list(setting), setting);
  }
  std::vector<std::vector<Index>> id_lists(const char* setting) const;  // empty: absent
  const Json* object(const char* setting) const {                       // null: absent
    return found(setting, &Json::is_object, "no object");
  }
  // The settings in the object `setting`; errors call them `setting`.name. Empty if it is absent.
  TheirConfig group(const char* setting) const;

  // Throws if the setting is present, not null, and not `only`, the one value that is supported.
  void expect(const char* setting, const Json& only) const;

  [[noreturn]] void refuse(const std::string& setting, const std::string& why) const;

 private:
  using IsKind = bool (Json::*)() const noexcept;

  // Null: absent. Throws if the value fails `is_kind`; `what` names the expected kind.
  const Json* found(const char* setting, IsKind is_kind, const char* what) const;

  template <class Value>
  Value value(const char* setting, IsKind is_kind, const char* what, const Value& otherwise) const {
    const auto* const given = found(setting, is_kind, what);
    return given == nullptr ? otherwise : given->get<Value>();
  }

  const Json& list(const char* setting) const;  // empty: absent
  std::vector<Index> ids_in(const Json& list, const char* setting) const;

  const Json& json_;
  const fs::path& file_;
  std::string group_;  // prefix of setting names in errors, such as "rope_scaling."
};

class PretrainedFiles {
 public:
  // Reads config.json and the tensors. Throws IoError that names the file.
  explicit PretrainedFiles(fs::path directory);

  const fs::path& directory() const { return directory_; }
  const Json& config() const { return config_; }
  fs::path config_file() const { return directory_ / "config.json"; }

  // Looks in all files; null: absent. Old names with `gamma` and `beta` are read as `weight` and
  // `bias`. A prefix given to `leave_out_prefix` is ignored.
  const TensorEntry* find(std::string_view name) const;
  Index numbers() const;  // the number of elements in all tensors together

  struct Named {
    std::string name;  // without prefix
    const TensorEntry* entry;
  };
  const std::vector<Named>& tensors() const { return tensors_; }

  void leave_out_prefix(std::string_view prefix);
  std::string_view without_prefix(std::string_view name) const;

 private:
  fs::path directory_;
  Json config_;
  std::vector<TensorFile> files_;
  std::vector<Named> tensors_;
  std::string prefix_;
};

}  // namespace tapehead
