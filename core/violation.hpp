// A violation: options that contradict each other, and why.
#pragma once

#include <string>
#include <vector>

namespace tapehead {

struct Violation {
  std::vector<std::string> options;  // the likeliest to be wrong comes first
  std::string problem;
};

}  // namespace tapehead
