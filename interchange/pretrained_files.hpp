// The files of a model in Hugging Face's layout: config.json, and its tensors in one file or in
// several with an index.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files/tensor_file.hpp"

namespace tapehead {

class PretrainedFiles {
 public:
  // Reads config.json and the tensors. Throws IoError that names the file.
  explicit PretrainedFiles(std::filesystem::path directory);

  const std::filesystem::path& directory() const { return directory_; }
  const nlohmann::ordered_json& config() const { return config_; }
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
  nlohmann::ordered_json config_;
  std::vector<TensorFile> files_;
  std::vector<Named> tensors_;
  std::vector<std::string> prefixes_;
};

// The JSON of a file in such a directory. Throws IoError that names the file.
nlohmann::ordered_json read_pretrained_json(const std::filesystem::path& file);

}  // namespace tapehead
