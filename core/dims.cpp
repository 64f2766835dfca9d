#include "core/dims.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

void wrong_shape(std::string_view what, std::string_view expected, const Shape& got) {
  throw ShapeError(fmt::format("{}: expected {}, got {}", what, expected, got.to_string()));
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
