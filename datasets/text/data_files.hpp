// The files from which a task reads its data, as its options name them.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/task_kind.hpp"

namespace tapehead {

struct DataFile {
  std::string option;  // of the section `task`; in a list with its number: further_sources[0]
  std::string* path;   // points into the options
};

// All files that the options name.
inline std::vector<DataFile> data_files(TaskOptions& options) {
  std::vector<DataFile> files;
  const auto add = [&](const std::string& option, std::string& path) {
    if (!path.empty()) {
      files.push_back({option, &path});
    }
  };
  for (const std::string_view option : options.kind().files) {
    for (const Row& row : rows_of(options)) {
      if (row.field.name != option) {
        continue;
      }
      const std::string name(option);
      if (const auto* paths = std::get_if<std::vector<std::string>*>(&row.cell)) {
        for (std::size_t i = 0; i < (*paths)->size(); ++i) {
          add(name + "[" + std::to_string(i) + "]", (**paths)[i]);
        }
      } else {
        add(name, *std::get<std::string*>(row.cell));
      }
    }
  }
  return files;
}

}  // namespace tapehead
