// Some elements of a large tensor, so spread that rows, columns and transpositions can still be
// told.
#pragma once

#include <vector>

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/shape.hpp"

namespace tapehead {

// At most `most` elements: all of a small tensor; else of a matrix evenly spread rows and columns,
// the same of both where it is square; of a vector evenly spread elements.
class Grid {
 public:
  Grid(const Shape& shape, Index most);

  // Its shape, and the rows' and columns' numbers; without elements.
  Comparison comparison() const;
  Index element(Index i) const;  // of the tensor

 private:
  Shape shape_;
  std::vector<Index> rows_;
  std::vector<Index> columns_;  // none for other than a matrix
};

}  // namespace tapehead
