// Rules: what the options of a task must satisfy together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/task_options.hpp"

namespace tapehead {

struct Violation {
  // Those that contradict each other, the likeliest first, each as "section.option".
  std::vector<std::string> options;
  std::string problem;
};

struct TaskRule {
  std::string_view says;  // for the reference
  std::optional<Violation> (*check)(const TaskOptions&);
};

std::span<const TaskRule> task_rules();

// The tokens of the longest source or target that a task may have, marks apart, and the option that
// most decides it; 0 where the options do not say.
struct LongestSide {
  Index tokens = 0;
  std::string_view option = "task.max_length";
};
LongestSide longest_side(const TaskOptions& options);

}  // namespace tapehead
