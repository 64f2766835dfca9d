// Finds the nearest name by edit distance.
#include "train/config/nearest.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tapehead {
namespace {

std::string normalized(std::string_view name) {
  std::string text(name);
  for (char& character : text) {
    if (character >= 'A' && character <= 'Z') {
      character = static_cast<char>(character + 32);
    }
    if (character == '-' || character == ' ') {
      character = '_';
    }
  }
  return text;
}

}  // namespace

Index edit_distance(std::string_view from, std::string_view to) {
  // distance(i, j): from the first i letters of `from` to the first j of `to`
  const std::size_t columns = to.size() + 1;
  std::vector<Index> table((from.size() + 1) * columns);
  const auto distance = [&](std::size_t i, std::size_t j) -> Index& {
    return table[i * columns + j];
  };
  for (std::size_t i = 0; i <= from.size(); ++i) {
    distance(i, 0) = static_cast<Index>(i);
  }
  for (std::size_t j = 0; j <= to.size(); ++j) {
    distance(0, j) = static_cast<Index>(j);
  }
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const Index replaced = distance(i - 1, j - 1) + (from[i - 1] == to[j - 1] ? 0 : 1);
      Index best = std::min({replaced, distance(i - 1, j) + 1, distance(i, j - 1) + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        best = std::min(best, distance(i - 2, j - 2) + 1);
      }
      distance(i, j) = best;
    }
  }
  return distance(from.size(), to.size());
}

std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 100;  // longer text is not a misspelt name
  if (name.size() > longest) {
    return std::nullopt;
  }
  const std::string wanted = normalized(name);
  std::optional<std::string_view> best;
  Index best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const Index distance = edit_distance(wanted, normalized(candidate));
    const auto letters = static_cast<Index>(std::max(wanted.size(), candidate.size()));
    if (distance > std::max<Index>(1, letters / 3)) {
      continue;
    }
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tapehead
