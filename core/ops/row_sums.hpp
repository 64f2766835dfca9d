// Multiples and sums of rows: the gradient of a bias or a gain takes one row at a time.
#pragma once

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// to = factor from
inline void scale_row(Index n, Scalar factor, const Scalar* from, Scalar* to) {
  map_row(n, to, [f = Lanes(factor)](const Lanes& a) { return f * a; }, from);
}

// to += factor from
inline void add_multiple(Index n, Scalar factor, const Scalar* from, Scalar* to) {
  map_row(
      n, to,
      [f = Lanes(factor)](const Lanes& a, const Lanes& b) { return fused_multiply_add(f, b, a); },
      to, from);
}

// to += a ∘ b
inline void add_product(Index n, const Scalar* a, const Scalar* b, Scalar* to) {
  map_row(
      n, to,
      [](const Lanes& s, const Lanes& x, const Lanes& y) { return fused_multiply_add(x, y, s); },
      to, a, b);
}

// to += from. `to` may be null, as Gradients::sum is for an input that needs no gradient.
inline void add_row(Index n, const Scalar* from, Scalar* to) {
  if (to != nullptr) {
    add_to(to, from, n);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
