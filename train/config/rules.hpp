// Rules: conditions on several options.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct Rule {
  std::string_view says;  // for the reference
  std::function<std::optional<Violation>(const Config&)> check;
};

// All rules, including those of the task. They check a config before it is resolved.
std::span<const Rule> rules();

}  // namespace tapehead
