// Where the vectors of attention heads lie in a matrix.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/tape/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The columns of a matrix, from `first` on, that hold the heads' vectors. Queries, keys and values
// that come out of one product are columns of one matrix.
struct HeadColumns {
  Var matrix;
  Index first = 0;
  // From one head's first column to the next one's; absent: heads lie side by side; 0: all heads
  // have the same columns.
  std::optional<Index> step{};

  Index begin(Index head, Index width) const { return first + head * step.value_or(width); }
};

// Throws ShapeError "<what>: ..." where the matrix has fewer than `rows` rows, or no such columns.
void expect_heads(const HeadColumns& columns, Index rows, Index heads, Index width,
                  std::string_view what);

// Vectors of heads without their Var: what a closure keeps.
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

// Where the gradient of such columns goes. Inputs may share a matrix, and heads may share columns:
// the first to come clears it, all add. Null where the input needs none.
class HeadGradient {
 public:
  HeadGradient(Gradients& g, Index input, const HeadMatrix& of);

  // The same, but only rows below what `clear_to` was called with may be added to.
  static HeadGradient cleared_later(Gradients& g, Index input, const HeadMatrix& of);

  // To be called with rising rows, in the end with all_rows: a row is cleared shortly before it is
  // added to, and then lies in the cache. Rows that there are not do not matter.
  void clear_to(Index row);
  static constexpr Index all_rows = std::numeric_limits<Index>::max();

  Scalar* at(Index row, Index head) const {
    return data_ == nullptr ? nullptr : data_ + row * stride_ + head * step_;
  }
  Index stride() const { return stride_; }

 private:
  HeadGradient() = default;

  Scalar* data_ = nullptr;
  Index stride_ = 0;
  Index step_ = 0;
  Scalar* not_cleared_ = nullptr;
  Index rows_ = 0;
  Index cleared_rows_ = 0;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
