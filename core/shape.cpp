#include "core/shape.hpp"

#include "core/text.hpp"

namespace tapehead {

Shape::Shape(std::span<const Index> extents) : rank_(std::ssize(extents)) {
  if (rank_ > max_rank || std::ranges::any_of(extents, [](Index extent) { return extent < 0; })) {
    throw ShapeError("a shape has at most {} axes, none of them negative", max_rank);
  }
  std::ranges::copy(extents, extents_.begin());
}

Index Shape::size() const {
  return std::accumulate(extents_.begin(), extents_.begin() + rank_, Index{1}, std::multiplies());
}

std::string Shape::to_string() const { return fmt::format("({})", join(extents(), ", ")); }

std::string element_name(Index element, const Shape& shape) {
  std::string position;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    position = fmt::format("{}{}{}", element % shape[axis], position.empty() ? "" : ", ", position);
    element /= shape[axis];
  }
  return fmt::format("[{}] of {}", position, shape.to_string());
}

}  // namespace tapehead
