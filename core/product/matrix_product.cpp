#include "core/product/matrix_product.hpp"

#include <algorithm>

#include "core/kernel/cpu.hpp"
#include "core/kernel/rows.hpp"
#include "core/product/blocked_product.hpp"
#include "core/product/broadcast_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr bool has_avx512_vectors = sizeof(Lanes) == 64;

// Whether our own product is faster. OpenBLAS packs both sides without prefetching them, and clears
// c first. There must be enough rows to make packing b worth it. Vectors narrower than the CPU's
// are always slower, and those of 128 bits are left to OpenBLAS. So is a transposed a if vectors
// have 8 numbers.
bool own_is_faster(Index rows, Index depth, const MatrixView& a) {
  constexpr Index fewest_rows = 64;
  constexpr bool wide = sizeof(Lanes) >= 32;
  static const bool widest = has_avx512_vectors || (wide && !cpu_has_avx512());
  return widest && (has_avx512_vectors || !a.transposed) && rows >= fewest_rows && depth > 0;
}

// Whether c = aᵀ b has so few rows or columns that rows of a and b are not used often enough to
// make packing them worth it.
bool outer_products_are_faster(Index rows, Index columns, Index depth, const MatrixView& a,
                               const MatrixView& b) {
  constexpr Index few = 64;
  return has_avx512_vectors && a.transposed && !b.transposed && columns % lane_count == 0 &&
         std::min(rows, columns) <= few && depth > 0;
}

// c = start + Σ_r a_r ⊗ b_r over the rows of a and b. It takes as many of these at a time as stay
// in the first-level cache, and as many rows of c as stay in the second-level cache.
void sum_of_outer_products(Index rows, Index columns, Index depth, const MatrixView& a,
                           const MatrixView& b, Start start, Scalar* c, Index c_stride) {
  constexpr Index block_depth = 96;
  constexpr Index block_rows = 256;
  for (Index row = 0; row < rows; row += block_rows) {
    Scalar* to = c + row * c_stride;
    for (Index r = 0; r < depth; r += block_depth) {
      broadcast_product(std::min(block_rows, rows - row), std::min(block_depth, depth - r), columns,
                        {a.data + r * a.stride + row, 1, a.stride}, b.data + r * b.stride, b.stride,
                        r == 0 ? start.from(row, 0) : Start{to, c_stride}, to, c_stride);
    }
  }
}

}  // namespace

void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate) {
  const Start start = accumulate ? Start{c, c_stride} : Start{};
  if (outer_products_are_faster(rows, columns, depth, a, b)) {
    sum_of_outer_products(rows, columns, depth, a, b, start, c, c_stride);
  } else if (own_is_faster(rows, depth, a)) {
    blocked_product(rows, columns, depth, a, b, start, c, c_stride);
  } else {
    blas_product(rows, columns, depth, a, b, c, c_stride, accumulate);
  }
}

void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride) {
  if (own_is_faster(rows, depth, a)) {
    blocked_product(rows, columns, depth, a, b, {row, 0}, c, c_stride);
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(row, columns, c + i * c_stride);
  }
  blas_product(rows, columns, depth, a, b, c, c_stride, true);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
