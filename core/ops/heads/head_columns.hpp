// Where the vectors of attention heads are in a matrix.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The heads' vectors without a Var, for closures.
struct HeadMatrix {
  Tensor matrix;
  Index first;
  Index step;
  Index heads;
  Index width;

  Index rows() const { return matrix.dim(0); }
  const Scalar* at(Index row, Index head) const { return matrix.row(row) + first + head * step; }
};

// The columns of a matrix that hold the heads' vectors, from `first` on. Queries, keys and values
// may be columns of one matrix, so that one product makes them.
struct HeadColumns {
  Var matrix;
  Index first = 0;
  // Columns from the start of one head to the next; absent: adjacent heads; 0: shared columns.
  std::optional<Index> step{};

  Index begin(Index head, Index width) const { return first + head * step.value_or(width); }
  HeadMatrix of(Index heads, Index width) const {
    return {matrix.value(), first, step.value_or(width), heads, width};
  }
};

// Throws ShapeError "<what>: ..." if the matrix has fewer than `rows` rows or lacks these columns.
void expect_heads(const HeadColumns& columns, Index rows, Index heads, Index width,
                  std::string_view what);

// The vectors of all rows. Throws ShapeError as expect_heads does.
HeadMatrix checked_heads(const HeadColumns& columns, Index heads, Index width,
                         std::string_view what);

template <class Visitor>
void for_each_head(Index rows, Index heads, const Visitor& visit) {
  for (Index i = 0; i < rows; ++i) {
    for (Index h = 0; h < heads; ++h) {
      visit(i, h);
    }
  }
}

// Rows of numbers to which gradients are added; null if not needed.
struct GradientRows {
  Scalar* data;
  Index stride;

  Scalar* row(Index i) const { return data == nullptr ? nullptr : data + i * stride; }
};

// The memory for the gradient of the heads' columns; null if not needed. Inputs may share a matrix
// and heads may share columns: the first input clears the memory, and each of them adds to it.
class HeadGradient {
 public:
  HeadGradient(Gradients& g, Index input, const HeadMatrix& of);

  Scalar* at(Index row, Index head) const {
    return rows_.data == nullptr ? nullptr : rows_.row(row) + head * step_;
  }
  // The rows of a head, or every `apart`-th of them, from `row` on.
  GradientRows rows_from(Index row, Index head, Index apart = 1) const {
    return {at(row, head), rows_.stride * apart};
  }

 private:
  GradientRows rows_;
  Index step_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
