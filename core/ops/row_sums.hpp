// Sums the rows of a matrix, one row at a time, into the gradient of a bias or a gain.
#pragma once

#include <algorithm>

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class RowSums {
 public:
  RowSums(GradientTarget target, Index columns) : sums_(target.data), columns_(columns) {
    if (!target.accumulate) {
      std::fill_n(sums_, columns_, Scalar{0});
    }
  }

  void add(const Scalar* row) { add_to(sums_, row, columns_); }
  // Σ a ∘ b
  void add_product(const Scalar* a, const Scalar* b) {
    map_row(
        columns_, sums_,
        [](const Lanes& s, const Lanes& x, const Lanes& y) { return fused_multiply_add(x, y, s); },
        sums_, a, b);
  }

 private:
  Scalar* sums_;
  Index columns_;
};

// A gradient target, or scratch memory if the input needs no gradient. So kernels that make several
// gradients in one pass can always write to both.
class TargetOrScratch {
 public:
  TargetOrScratch(Gradients& g, Index input, const Shape& shape) {
    if (g.needs(input)) {
      target_ = g.target(input);
    } else {
      scratch_ = Tensor::empty(shape);
      target_ = {scratch_.data(), false};
    }
  }
  const GradientTarget& target() const { return target_; }

 private:
  Tensor scratch_;
  GradientTarget target_{};
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
