// Where the vectors of attention heads are in a matrix.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The columns of a matrix that hold the heads' vectors, from `first` on. Queries, keys and values
// may be columns of one matrix, so that one product makes them.
struct HeadColumns {
  Var matrix;
  Index first = 0;
  // The number of columns from the start of one head to the start of the next. Absent: the heads
  // are adjacent; 0: all heads have the same columns.
  std::optional<Index> step{};

  Index begin(Index head, Index width) const { return first + head * step.value_or(width); }
};

// Throws ShapeError "<what>: ..." if the matrix has fewer than `rows` rows or lacks these columns.
void expect_heads(const HeadColumns& columns, Index rows, Index heads, Index width,
                  std::string_view what);

// The heads' vectors without a Var, for closures.
struct HeadMatrix {
  Tensor matrix;
  Index first;
  Index step;

  HeadMatrix(const HeadColumns& columns, Index width)
      : HeadMatrix(columns.matrix.value(), columns.first, columns.step.value_or(width)) {}
  HeadMatrix(Tensor values, Index first_column, Index head_step)
      : matrix(std::move(values)), first(first_column), step(head_step) {}

  Index rows() const { return matrix.dim(0); }
  const Scalar* at(Index row, Index head) const { return matrix.row(row) + first + head * step; }
};

// The vectors of all rows. Throws ShapeError as expect_heads does.
HeadMatrix checked_heads(const HeadColumns& columns, Index heads, Index width,
                         std::string_view what);

// Calls visit(row, head) for each vector.
template <class Visitor>
void for_each_head(Index rows, Index heads, const Visitor& visit) {
  for (Index i = 0; i < rows; ++i) {
    for (Index h = 0; h < heads; ++h) {
      visit(i, h);
    }
  }
}

// The memory for the gradient of the heads' columns; null if not needed. Inputs may share a matrix
// and heads may share columns: the first input clears the memory, and each of them adds to it.
class HeadGradient {
 public:
  HeadGradient(Gradients& g, Index input, const HeadMatrix& of);

  Scalar* at(Index row, Index head) const {
    return data_ == nullptr ? nullptr : data_ + row * stride_ + head * step_;
  }
  Index stride() const { return stride_; }

 private:
  Scalar* data_ = nullptr;
  Index stride_;
  Index step_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
