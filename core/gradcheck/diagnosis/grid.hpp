// Selects elements of a large tensor that still show wrong rows, wrong columns and a transposition.
#pragma once

#include <vector>

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/shape.hpp"

namespace tapehead {

// At most `most` elements. Of a small tensor: all elements. Of a larger matrix: evenly spaced rows
// and columns, with the same numbers if it is square. Of a larger vector: evenly spaced elements.
class Grid {
 public:
  Grid(const Shape& shape, Index most);

  // A comparison with the grid's shape and its row and column numbers, but without elements.
  Comparison comparison() const;
  Index element(Index i) const;  // of the tensor

 private:
  Shape shape_;
  std::vector<Index> rows_;
  std::vector<Index> columns_;  // empty unless the tensor is a matrix
};

}  // namespace tapehead
