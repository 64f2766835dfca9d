#include "core/matrix_product.hpp"

#include <algorithm>

#include "core/broadcast_product.hpp"
#include "core/rows.hpp"
#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// One panel: as many columns of b as `broadcast_product` takes at a time, one below the other.
constexpr Index panel_columns = 2 * lane_count;
// A panel of this depth stays in the first level of the cache, so many rows of a in the second.
constexpr Index block_depth = 256;
constexpr Index block_rows = 96;

// Where our own product is faster: b fits the second level of the cache, and there are rows enough
// to pay for its packing. OpenBLAS packs both matrices and clears c first, which is what it loses
// here and gains elsewhere. Vectors narrower than the CPU's lose everywhere.
bool own_is_faster(Index rows, Index columns, Index depth, const MatrixView& a) {
  constexpr Index most_packed = 65536;
  constexpr Index fewest_rows = 64;
  constexpr bool has_avx512_vectors = sizeof(Lanes) == 64;
  static const bool widest = has_avx512_vectors || __builtin_cpu_supports("avx512f") == 0;
  return widest && !a.transposed && rows >= fewest_rows && depth > 0 &&
         depth * columns <= most_packed;
}

// to[r][c] = from[c][r]; tiles of a fixed size are what the compiler turns into shuffles.
void pack_transposed(const Scalar* from, Index stride, Index depth, Index columns, Scalar* to) {
  Index first = 0;
  for (; columns == panel_columns && first + lane_count <= depth; first += lane_count) {
    for (Index c = 0; c < panel_columns; ++c) {
      for (Index r = 0; r < lane_count; ++r) {
        to[(first + r) * panel_columns + c] = from[c * stride + first + r];
      }
    }
  }
  for (Index r = first; r < depth; ++r) {
    for (Index c = 0; c < columns; ++c) {
      to[r * panel_columns + c] = from[c * stride + r];
    }
  }
}

// b as panels. Behind the last column they hold anything: what comes of it is not copied.
void pack(const MatrixView& b, Index depth, Index columns, Scalar* panels) {
  for (Index first = 0; first < columns; first += panel_columns) {
    const Index count = std::min(panel_columns, columns - first);
    Scalar* panel = panels + first * depth;
    if (b.transposed) {
      pack_transposed(b.data + first * b.stride, b.stride, depth, count, panel);
    } else {
      for (Index r = 0; r < depth; ++r) {
        map_row(
            count, panel + r * panel_columns, [](const Lanes& x) { return x; },
            b.data + r * b.stride + first);
      }
    }
  }
}

// c = start + a times some rows of a panel, of which `columns` are real.
void panel_product(Index rows, Index columns, Index depth, Broadcast a, const Scalar* panel,
                   Scalar* edge, Start start, Scalar* c, Index c_stride) {
  if (columns == panel_columns) {
    broadcast_product(rows, depth, columns, a, panel, panel_columns, start, c, c_stride);
    return;
  }
  broadcast_product(rows, depth, panel_columns, a, panel, panel_columns, {}, edge, panel_columns);
  for (Index i = 0; i < rows; ++i) {
    const Scalar* products = edge + i * panel_columns;
    if (start.data == nullptr) {
      std::copy_n(products, columns, c + i * c_stride);
    } else {
      map_row(
          columns, c + i * c_stride, [](const Lanes& x, const Lanes& y) { return x + y; },
          start.from(i, 0).data, products);
    }
  }
}

void own_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Start start,
                 Scalar* c, Index c_stride) {
  const Index packed = (columns + panel_columns - 1) / panel_columns * panel_columns * depth;
  Tensor room = Tensor::empty({packed + block_rows * panel_columns});
  Scalar* panels = room.data();
  pack(b, depth, columns, panels);
  for (Index row = 0; row < rows; row += block_rows) {
    for (Index r = 0; r < depth; r += block_depth) {
      const Start sums = r == 0 ? start : Start{c, c_stride};
      for (Index column = 0; column < columns; column += panel_columns) {
        panel_product(std::min(block_rows, rows - row), std::min(panel_columns, columns - column),
                      std::min(block_depth, depth - r), {a.data + row * a.stride + r, a.stride, 1},
                      panels + column * depth + r * panel_columns, panels + packed,
                      sums.from(row, column), c + row * c_stride + column, c_stride);
      }
    }
  }
}

}  // namespace

void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate) {
  if (own_is_faster(rows, columns, depth, a)) {
    own_product(rows, columns, depth, a, b, accumulate ? Start{c, c_stride} : Start{}, c, c_stride);
  } else {
    blas_product(rows, columns, depth, a, b, c, c_stride, accumulate);
  }
}

void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride) {
  if (own_is_faster(rows, columns, depth, a)) {
    own_product(rows, columns, depth, a, b, {row, 0}, c, c_stride);
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(row, columns, c + i * c_stride);
  }
  blas_product(rows, columns, depth, a, b, c, c_stride, true);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
