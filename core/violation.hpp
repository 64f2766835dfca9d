// A violation: options that do not go together, and why.
#pragma once

#include <string>
#include <vector>

namespace tapehead {

struct Violation {
  std::vector<std::string> options;  // those that contradict each other, the likeliest first
  std::string problem;
};

}  // namespace tapehead
