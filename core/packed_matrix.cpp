#include "core/packed_matrix.hpp"

#include <algorithm>
#include <array>

#include "core/rows.hpp"
#include "core/transpose.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Index panel_columns = 2 * lane_count;

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

// c = start + a times some rows of a panel, of which `columns` are real. Fewer than a panel's go by
// way of `edge`, which has room for whole ones.
void panel_product(Index rows, Index columns, Index depth, Broadcast a, const Scalar* panel,
                   Scalar* edge, Start start, Scalar* c, Index c_stride, Prefetcher* prefetcher) {
  const bool whole = columns == panel_columns;
  if (!whole && start.data != nullptr) {
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(start.from(i, 0).data, columns, edge + i * panel_columns);
    }
    start = {edge, panel_columns};
  }
  broadcast_product(rows, depth, panel_columns, a, panel, panel_columns, start, whole ? c : edge,
                    whole ? c_stride : panel_columns, prefetcher);
  for (Index i = 0; !whole && i < rows; ++i) {
    std::copy_n(edge + i * panel_columns, columns, c + i * c_stride);
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
  for (Index row = 0; row < rows; row += block_rows) {
    for (Index r = 0; r < depth_; r += block_depth) {
      const Start sums = r == 0 ? start : Start{c, c_stride};
      block_product(r, std::min(block_depth, depth_ - r), std::min(block_rows, rows - row),
                    {a.data + row * a.stride + r, a.stride, 1}, sums.from(row, 0),
                    c + row * c_stride, c_stride, nullptr);
    }
  }
}

void PackedMatrix::block_product(Index first, Index depth, Index rows, Broadcast a, Start start,
                                 Scalar* c, Index c_stride, Prefetcher* prefetcher) const {
  std::array<Scalar, block_rows * panel_columns> edge;
  for (Index column = 0; column < columns_; column += panel_columns) {
    panel_product(rows, std::min(panel_columns, columns_ - column), depth, a,
                  panels_.data() + column * depth_ + first * panel_columns, edge.data(),
                  start.from(0, column), c + column, c_stride, prefetcher);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
