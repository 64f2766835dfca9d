// Shape: the extents of a tensor's axes, at most four, stored without heap memory.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

class Shape {
 public:
  static constexpr Index max_rank = 4;

  Shape() = default;
  // Throws ShapeError for more than max_rank axes or a negative extent.
  explicit Shape(std::span<const Index> extents);
  Shape(std::initializer_list<Index> extents) : Shape(std::span(extents.begin(), extents.size())) {}

  Index rank() const { return rank_; }
  std::span<const Index> extents() const {
    return std::span(extents_).first(static_cast<std::size_t>(rank_));
  }
  Index operator[](Index axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  Index size() const;             // elements: the product of the extents; 1 for rank 0
  std::string to_string() const;  // "(3, 4)"

  bool operator==(const Shape&) const = default;

 private:
  std::array<Index, max_rank> extents_{};
  Index rank_ = 0;
};

// "[2, 0] of (3, 4)": an element by its number in row-major order.
std::string element_name(Index element, const Shape& shape);

}  // namespace tapehead
