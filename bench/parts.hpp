// The parts of a measurement, which can be chosen by name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

// Its options have a member `json`: rows alone, no titles.
template <class Options>
struct BenchPart {
  std::string_view name;
  std::string_view title;
  void (*run)(const Options& options);
};

template <class Options, std::size_t count>
std::vector<std::string> names_of(const std::array<BenchPart<Options>, count>& parts) {
  std::vector<std::string> names;
  std::ranges::transform(parts, std::back_inserter(names),
                         [](const BenchPart<Options>& part) { return std::string(part.name); });
  return names;
}

// Those of these names, in their order; a name that no part has is left out.
template <class Options, std::size_t count>
void run_parts(const std::array<BenchPart<Options>, count>& parts,
               const std::vector<std::string>& names, const Options& options) {
  for (const std::string& name : names) {
    const auto part = std::ranges::find(parts, name, &BenchPart<Options>::name);
    if (part != parts.end()) {
      fmt::print("{}", options.json ? "" : fmt::format("{}\n", part->title));
      part->run(options);
      fmt::print("{}", options.json ? "" : "\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace tapehead
