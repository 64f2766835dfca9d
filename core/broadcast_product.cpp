#include "core/broadcast_product.hpp"

#include <array>

#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// As many rows at a time as leave each sum in a register of its own: 6 x 2 sums, 2 vectors of b and
// one of a in 16.
constexpr Index tile_rows = 6;

template <Index Rows, Index Vectors, bool Started>
[[gnu::always_inline]] inline void tile_product(Index depth, Broadcast a, const Scalar* b,
                                                Index b_step, Start start, Scalar* out,
                                                Index out_step) {
  std::array<std::array<Lanes, Vectors>, Rows> sums;
#pragma GCC unroll 8
  for (Index i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
    for (Index v = 0; v < Vectors; ++v) {
      sums[i][v] = Started ? Lanes::load_unaligned(start.data + i * start.step + v * lane_count)
                           : Lanes(Scalar{0});
    }
  }
  for (Index r = 0; r < depth; ++r) {
    std::array<Lanes, Vectors> right;
#pragma GCC unroll 2
    for (Index v = 0; v < Vectors; ++v) {
      right[v] = Lanes::load_unaligned(b + r * b_step + v * lane_count);
    }
#pragma GCC unroll 8
    for (Index i = 0; i < Rows; ++i) {
      const Lanes left(a.data[i * a.row_step + r * a.depth_step]);
#pragma GCC unroll 2
      for (Index v = 0; v < Vectors; ++v) {
        sums[i][v] = xsimd::fma(left, right[v], sums[i][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (Index i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
    for (Index v = 0; v < Vectors; ++v) {
      sums[i][v].store_unaligned(out + i * out_step + v * lane_count);
    }
  }
}

template <Index Vectors, bool Started>
void column_product(Index rows, Index depth, Broadcast a, const Scalar* b, Index b_step,
                    Start start, Scalar* out, Index out_step) {
  while (rows >= tile_rows) {
    tile_product<tile_rows, Vectors, Started>(depth, a, b, b_step, start, out, out_step);
    start = start.from(tile_rows, 0);
    a.data += tile_rows * a.row_step;
    out += tile_rows * out_step;
    rows -= tile_rows;
  }
  switch (rows) {
    case 5:
      return tile_product<5, Vectors, Started>(depth, a, b, b_step, start, out, out_step);
    case 4:
      return tile_product<4, Vectors, Started>(depth, a, b, b_step, start, out, out_step);
    case 3:
      return tile_product<3, Vectors, Started>(depth, a, b, b_step, start, out, out_step);
    case 2:
      return tile_product<2, Vectors, Started>(depth, a, b, b_step, start, out, out_step);
    case 1:
      return tile_product<1, Vectors, Started>(depth, a, b, b_step, start, out, out_step);
    default:
      return;
  }
}

template <bool Started>
void product(Index rows, Index depth, Index columns, Broadcast a, const Scalar* b, Index b_step,
             Start start, Scalar* out, Index out_step) {
  Index column = 0;
  for (; column + 2 * lane_count <= columns; column += 2 * lane_count) {
    column_product<2, Started>(rows, depth, a, b + column, b_step, start.from(0, column),
                               out + column, out_step);
  }
  if (column < columns) {
    column_product<1, Started>(rows, depth, a, b + column, b_step, start.from(0, column),
                               out + column, out_step);
  }
}

}  // namespace

void broadcast_product(Index rows, Index depth, Index columns, Broadcast a, const Scalar* b,
                       Index b_step, Start start, Scalar* out, Index out_step) {
  const auto chosen = start.data == nullptr ? product<false> : product<true>;
  chosen(rows, depth, columns, a, b, b_step, start, out, out_step);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
