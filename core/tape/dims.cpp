#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void wrong_shape(std::string_view what, std::string_view expected, const Shape& got) {
  throw ShapeError(fmt::format("{}: expected {}, got {}", what, expected, got.to_string()));
}

void expect_shape(const Var& x, const Shape& expected, std::string_view what, const Var& other) {
  if (x.shape() != expected) {
    wrong_shape(fmt::format("{} {}", what, other.shape().to_string()), expected.to_string(),
                x.shape());
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
