#include "core/packed_matrix.hpp"

#include <algorithm>
#include <array>

#include "core/rows.hpp"
#include "core/transpose.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Index panel_columns = 2 * lane_count;
// A panel of this depth stays in the first level of the cache, so many rows of a in the second.
constexpr Index block_depth = 256;
constexpr Index block_rows = 96;

// to[r][c] = from[r][c]
void copy_rows(const Scalar* from, Index stride, Index depth, Index columns, Scalar* to) {
  if (columns == panel_columns) {
    for (Index r = 0; r < depth; ++r) {
      const Lanes left = Lanes::load_unaligned(from + r * stride);
      const Lanes right = Lanes::load_unaligned(from + r * stride + lane_count);
      left.store_unaligned(to + r * panel_columns);
      right.store_unaligned(to + r * panel_columns + lane_count);
    }
  } else {
    for (Index r = 0; r < depth; ++r) {
      std::copy_n(from + r * stride, columns, to + r * panel_columns);
    }
  }
}

// b as panels. Behind the last column they hold anything: what comes of it is not copied.
void pack(const MatrixView& b, Index depth, Index columns, Scalar* panels) {
  for (Index first = 0; first < columns; first += panel_columns) {
    const Index count = std::min(panel_columns, columns - first);
    Scalar* panel = panels + first * depth;
    if (b.transposed) {
      copy_transposed(count, depth, b.data + first * b.stride, b.stride, 1, panel, panel_columns);
    } else {
      copy_rows(b.data + first, b.stride, depth, count, panel);
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

}  // namespace

PackedMatrix::PackedMatrix(const MatrixView& b, Index depth, Index columns)
    : depth_(depth),
      columns_(columns),
      panels_(
          Tensor::empty({(columns + panel_columns - 1) / panel_columns, depth, panel_columns})) {
  pack(b, depth, columns, panels_.data());
}

void PackedMatrix::product(Index rows, const MatrixView& a, Start start, Scalar* c,
                           Index c_stride) const {
  std::array<Scalar, block_rows * panel_columns> edge;
  for (Index row = 0; row < rows; row += block_rows) {
    for (Index r = 0; r < depth_; r += block_depth) {
      const Start sums = r == 0 ? start : Start{c, c_stride};
      for (Index column = 0; column < columns_; column += panel_columns) {
        panel_product(std::min(block_rows, rows - row), std::min(panel_columns, columns_ - column),
                      std::min(block_depth, depth_ - r), {a.data + row * a.stride + r, a.stride, 1},
                      panels_.data() + column * depth_ + r * panel_columns, edge.data(),
                      sums.from(row, column), c + row * c_stride + column, c_stride);
      }
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
