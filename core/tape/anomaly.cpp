#include "core/tape/anomaly.hpp"

#include "core/text.hpp"

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

std::string describe(const Anomaly& anomaly) {
  std::string text = anomaly.op;
  if (!anomaly.place.path.empty()) {
    text += " in " + anomaly.place.to_string();
  }
  text += ": ";
  text += anomaly.in_gradient
              ? fmt::format("the gradient of input {} ({})", anomaly.input, anomaly.made_by)
              : "the value";
  text += fmt::format(" is {} at {}; {} of {} numbers are not finite", anomaly.number,
                      element_name(anomaly.element, anomaly.shape), anomaly.count,
                      anomaly.shape.size());
  for (const Range& range : anomaly.ranges) {
    const bool any_finite = range.not_finite < range.shape.size();
    text += fmt::format("\n  {} {}: ", range.what, range.shape.to_string());
    text += any_finite ? fmt::format("{:.4g} ... {:.4g}", range.least, range.most) : "";
    if (range.not_finite > 0) {
      text += fmt::format("{}{} not finite", any_finite ? ", " : "", range.not_finite);
    }
  }
  if (!anomaly.examples.empty()) {
    text += fmt::format("\n  in a shard of training examples {}", listed(anomaly.examples));
  }
  return text;
}

}  // namespace tapehead
