// A task option by name, for option structs that only the task knows.
#pragma once

#include <variant>

#include "datasets/task_kind.hpp"

namespace tapehead {

template <class Value = Index>
Value& task_option(TaskOptions& options, std::string_view name) {
  for (const Row& row : rows_of(options)) {
    if (row.field.name == name) {
      return *std::get<Value*>(row.cell);
    }
  }
  throw std::invalid_argument("no option " + std::string(name));
}

}  // namespace tapehead
