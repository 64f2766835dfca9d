#include "core/tape/module.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {

std::string Place::to_string() const {
  return head < 0 ? path : fmt::format("{}, head {}", path, head);
}

bool lies_in(std::string_view path, std::string_view scope) {
  return scope.empty() || path == scope ||
         (path.starts_with(scope) && path.substr(scope.size()).starts_with('.'));
}

Place place_of(const Module& module, Index column, Index columns) {
  const auto parts = static_cast<Index>(module.paths.size());
  const Index width = std::max<Index>(1, columns / parts);
  const Index part = std::min(column / width, parts - 1);
  Place place{.path = module.paths[static_cast<std::size_t>(part)]};
  if (module.heads > 0 && width >= module.heads) {
    place.head = column % width / (width / module.heads);
  }
  return place;
}

}  // namespace tapehead
