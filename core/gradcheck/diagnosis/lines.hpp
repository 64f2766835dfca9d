// The rows and the columns of a gradient.
#pragma once

#include <functional>

#include "core/shape.hpp"

namespace tapehead {

// The lines (rows, or columns) of a matrix; of a vector the elements.
struct Lines {
  Index count;
  Index length;
  std::function<Index(Index line, Index place)> element;
};

Lines rows_of(const Shape& shape);
Lines columns_of(const Shape& shape);

}  // namespace tapehead
