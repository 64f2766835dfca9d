#include "core/packing.hpp"

#include <algorithm>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

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

}  // namespace

void pack_panels(const MatrixView& b, Index row, Index depth, Index column, Index columns,
                 Scalar* panels) {
  for (Index first = 0; first < columns; first += panel_columns) {
    const Index count = std::min(panel_columns, columns - first);
    Scalar* panel = panels + first * depth;
    if (b.transposed) {
      pack_transposed(b.data + (column + first) * b.stride + row, b.stride, depth, count, panel);
    } else {
      copy_rows(b.data + row * b.stride + column + first, b.stride, depth, count, panel);
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
