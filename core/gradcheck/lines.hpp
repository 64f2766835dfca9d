// Gradients that are wrong in some rows or columns alone.
#pragma once

#include <functional>
#include <optional>

#include "core/gradcheck/comparison.hpp"

namespace tapehead {

// The lines (rows, or columns) of a matrix; of a vector the elements.
struct Lines {
  Index count;
  Index length;
  std::function<Index(Index line, Index place)> element;
};

Lines rows_of(const Shape& shape);
Lines columns_of(const Shape& shape);

// Rows that hold what belongs into others, or the rows or columns that are wrong where others are
// right; nothing where all are wrong.
std::optional<WrongGradient> in_some_lines(const Comparison& comparison, const Jacobian& jacobian);

}  // namespace tapehead
