// The files from which a task reads its data, as its options name them.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/task_kind.hpp"

namespace tapehead {

struct DataFile {
  std::string_view option;  // of the section `task`
  std::string* path;        // points into the options
};

// All files that the options name.
inline std::vector<DataFile> data_files(TaskOptions& options) {
  std::vector<DataFile> files;
  for (const std::string_view option : options.kind().files) {
    for (const Row& row : rows_of(options)) {
      if (row.field.name == option && !std::get<std::string*>(row.cell)->empty()) {
        files.push_back({option, std::get<std::string*>(row.cell)});
      }
    }
  }
  return files;
}

}  // namespace tapehead
