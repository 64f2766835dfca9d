#include "core/matrix_product.hpp"

#include <algorithm>

#include "core/packed_matrix.hpp"
#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr bool has_avx512_vectors = sizeof(Lanes) == 64;

// Where our own product is faster: rows of a that lie in runs need no packing, which OpenBLAS does
// all the same, and it clears c first. There must be rows enough to pay for packing b. Vectors
// narrower than the CPU's lose everywhere.
bool own_is_faster(Index rows, Index depth, const MatrixView& a) {
  constexpr Index fewest_rows = 64;
  static const bool widest = has_avx512_vectors || __builtin_cpu_supports("avx512f") == 0;
  return widest && !a.transposed && rows >= fewest_rows && depth > 0;
}

MatrixView from(const MatrixView& matrix, Index row, Index column) {
  const Index offset =
      matrix.transposed ? column * matrix.stride + row : row * matrix.stride + column;
  return {matrix.data + offset, matrix.stride, matrix.transposed};
}

// Where c = aᵀ b is narrow or low, so that rows of a and b are used too seldom to pay for packing
// them, which OpenBLAS does.
bool outer_products_are_faster(Index rows, Index columns, Index depth, const MatrixView& a,
                               const MatrixView& b) {
  constexpr Index few = 128;
  return has_avx512_vectors && a.transposed && !b.transposed && columns % lane_count == 0 &&
         std::min(rows, columns) <= few && depth > 0;
}

// c = start + Σ_r a_r ⊗ b_r over the rows of a and b, so many at a time that they stay in the first
// level of the cache, and as many rows of c as stay in the second.
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

// c = start + a b, in blocks of b that stay in the second level of the cache (Goto and van de Geijn
// 2008): columns, then depth, so that sums are added up in the same order for every row.
void own_product(Index rows, Index columns, Index depth, const MatrixView& a, const MatrixView& b,
                 Start start, Scalar* c, Index c_stride) {
  constexpr Index block_depth = 256;
  constexpr Index block_columns = 256;
  for (Index column = 0; column < columns; column += block_columns) {
    for (Index r = 0; r < depth; r += block_depth) {
      const PackedMatrix block(from(b, r, column), std::min(block_depth, depth - r),
                               std::min(block_columns, columns - column));
      block.product(rows, from(a, 0, r),
                    r == 0 ? start.from(0, column) : Start{c + column, c_stride}, c + column,
                    c_stride);
    }
  }
}

}  // namespace

void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate) {
  if (own_is_faster(rows, depth, a)) {
    own_product(rows, columns, depth, a, b, accumulate ? Start{c, c_stride} : Start{}, c, c_stride);
  } else if (outer_products_are_faster(rows, columns, depth, a, b)) {
    sum_of_outer_products(rows, columns, depth, a, b, accumulate ? Start{c, c_stride} : Start{}, c,
                          c_stride);
  } else {
    blas_product(rows, columns, depth, a, b, c, c_stride, accumulate);
  }
}

void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride) {
  if (own_is_faster(rows, depth, a)) {
    own_product(rows, columns, depth, a, b, {row, 0}, c, c_stride);
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(row, columns, c + i * c_stride);
  }
  blas_product(rows, columns, depth, a, b, c, c_stride, true);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
