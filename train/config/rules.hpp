// Rules: what options must satisfy together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/options.hpp"

namespace tapehead {

struct Violation {
  std::vector<std::string> options;  // those that contradict each other, the likeliest first
  std::string problem;
};

struct Rule {
  std::string_view says;  // for the reference
  std::optional<Violation> (*check)(const Config&);
};

// They look at a config before it is resolved.
std::span<const Rule> rules();

}  // namespace tapehead
