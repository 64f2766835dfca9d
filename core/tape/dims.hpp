// Shape checks at the start of an op; later code does not check again.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Throws ShapeError "<what>: expected <expected>, got <shape>".
[[noreturn]] void wrong_shape(std::string_view what, std::string_view expected, const Shape& got);

// The extents of a value that must have Rank axes: `auto [N, D] = dims<2>(x, "linear.x")`.
template <Index Rank>
std::array<Index, Rank> dims(const Var& x, std::string_view what) {
  static_assert(Rank >= 1 && Rank <= Shape::max_rank);
  if (x.shape().rank() != Rank) {
    constexpr std::array<std::string_view, 5> names{"", "one axis", "two axes", "three axes",
                                                    "four axes"};
    wrong_shape(what, names[Rank], x.shape());
  }
  std::array<Index, Rank> result;
  for (Index axis = 0; axis < Rank; ++axis) {
    result[static_cast<std::size_t>(axis)] = x.shape()[axis];
  }
  return result;
}

inline void expect_shape(const Var& x, const Shape& expected, std::string_view what) {
  if (x.shape() != expected) {
    wrong_shape(what, expected.to_string(), x.shape());
  }
}

// The same if the shape follows from another input's, with whose name `what` ends. The message
// gives its shape too: "residual.f for x (3, 4): expected ...".
void expect_shape(const Var& x, const Shape& expected, std::string_view what, const Var& other);

}}  // namespace tapehead::TAPEHEAD_PRECISION
