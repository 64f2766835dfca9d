#include "core/name_pattern.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tapehead {

// The edit distance of Wagner and Fischer (1974), with d(i, j) of the first i characters of the
// pattern and j of the name, in which `*` takes characters of the name for nothing:
// d(i, j) = min(d(i - 1, j), d(i, j - 1)) where character i is `*`.
Index pattern_distance(std::string_view pattern, std::string_view name) {
  std::vector<Index> distances(name.size() + 1);
  std::iota(distances.begin(), distances.end(), Index{0});
  for (const char wanted : pattern) {
    const bool any = wanted == '*';
    Index diagonal = distances[0];
    distances[0] += any ? 0 : 1;
    for (std::size_t j = 1; j < distances.size(); ++j) {
      const Index above = distances[j];
      const Index replaced = diagonal + (wanted == name[j - 1] ? 0 : 1);
      distances[j] = any ? std::min(above, distances[j - 1])
                         : std::min({replaced, above + 1, distances[j - 1] + 1});
      diagonal = above;
    }
  }
  return distances.back();
}

bool matches(std::string_view pattern, std::string_view name) {
  return pattern_distance(pattern, name) == 0;
}

}  // namespace tapehead
