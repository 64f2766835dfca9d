// The files of a model in Hugging Face's layout: config.json, whose settings are read one by one,
// and its tensors in one file or in several with an index.
#pragma once

#include <nlohmann/json.hpp>

#include "core/files/tensor_file.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

// Each function throws ConfigError that names the file and the setting.
class TheirConfig {
 public:
  // Neither argument is copied.
  TheirConfig(const Json& json, const std::filesystem::path& file) : json_(json), file_(file) {}

  const Json& json() const { return json_; }
  const std::filesystem::path& file() const { return file_; }

  bool has(const char* setting) const;  // and it is not null
  Index count(const char* setting) const;
  Index count(const char* setting, Index otherwise) const;
  double number(const char* setting, double otherwise) const {
    return value(setting, &Json::is_number, "no number", otherwise);
  }
  bool flag(const char* setting, bool otherwise) const {
    return value(setting, &Json::is_boolean, "neither true nor false", otherwise);
  }
  std::string text(const char* setting, const std::string& otherwise) const {
    return value(setting, &Json::is_string, "no text", otherwise);
  }
  std::string first_text(const char* setting) const;  // of a list; empty: there is none
  std::vector<Index> ids(const char* setting) const;  // a list, empty if it is absent
  std::vector<std::vector<Index>> id_lists(const char* setting) const;  // likewise
  const Json* object(const char* setting) const {                       // null: absent
    return found(setting, &Json::is_object, "no object");
  }
  // The settings in an object, which errors call `setting`.name; absent: none of them is there.
  TheirConfig group(const char* setting) const;

  // For settings that only one value of is possible here; absent or null is that value.
  void expect(const char* setting, const Json& only) const;

  [[noreturn]] void refuse(const std::string& setting, const std::string& why) const;

 private:
  using IsKind = bool (Json::*)() const noexcept;

  // Null: absent. Throws if it is not of the kind, which `what` names.
  const Json* found(const char* setting, IsKind is_kind, const char* what) const;

  template <class Value>
  Value value(const char* setting, IsKind is_kind, const char* what, const Value& otherwise) const {
    const auto* const given = found(setting, is_kind, what);
    return given == nullptr ? otherwise : given->get<Value>();
  }

  const Json* list(const char* setting) const { return found(setting, &Json::is_array, "no list"); }

  std::vector<Index> ids_in(const Json& list, const char* setting) const;

  const Json& json_;
  const std::filesystem::path& file_;
  std::string group_;  // what stands before its settings in errors, such as "rope_scaling."
};

class PretrainedFiles {
 public:
  // Reads config.json and the tensors. Throws IoError that names the file.
  explicit PretrainedFiles(std::filesystem::path directory);

  const std::filesystem::path& directory() const { return directory_; }
  const Json& config() const { return config_; }
  std::filesystem::path config_file() const { return directory_ / "config.json"; }

  // Of all files; null: absent. Names end in `weight` and `bias`, also where old files say `gamma`
  // and `beta`. Prefixes that are left out do not count.
  const TensorEntry* find(std::string_view name) const;
  std::vector<std::string> names() const;  // without prefixes
  Index numbers() const;                   // in all tensors together

  void leave_out_prefixes(const std::vector<std::string>& prefixes);
  std::string_view without_prefix(std::string_view name) const;

 private:
  struct Named {
    std::string name;
    const TensorEntry* entry;
  };

  std::filesystem::path directory_;
  Json config_;
  std::vector<TensorFile> files_;
  std::vector<Named> tensors_;
  std::vector<std::string> prefixes_;
};

}  // namespace tapehead
