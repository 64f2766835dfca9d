#include "core/matrix_product.hpp"

#include <algorithm>

#include "core/broadcast_product.hpp"
#include "core/packing.hpp"
#include "core/rows.hpp"
#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// A panel of this depth stays in the first level of the cache, so many rows of a, or columns of b,
// in the second.
constexpr Index block_depth = 256;
constexpr Index block_rows = 96;
constexpr Index block_columns = 256;

// Where our own product is faster: rows of a that lie in runs need no packing, which OpenBLAS does
// all the same, and it clears c first. There must be rows enough to pay for packing b. Vectors
// narrower than the CPU's lose everywhere.
bool own_is_faster(Index rows, Index depth, const MatrixView& a) {
  constexpr Index fewest_rows = 64;
  constexpr bool has_avx512_vectors = sizeof(Lanes) == 64;
  static const bool widest = has_avx512_vectors || __builtin_cpu_supports("avx512f") == 0;
  return widest && !a.transposed && rows >= fewest_rows && depth > 0;
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

// A product that is cut into blocks for the caches (Goto and van de Geijn 2008): columns, then
// depth, then rows, so that sums over the depth are added up in the same order for every row.
class BlockedProduct {
 public:
  BlockedProduct(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                 Index c_stride)
      : rows_(rows), columns_(columns), depth_(depth), a_(a), b_(b), c_(c), c_stride_(c_stride) {
    const Index deepest = std::min(depth, block_depth);
    const Index panels =
        (std::min(columns, block_columns) + panel_columns - 1) / panel_columns * panel_columns;
    room_ = Tensor::empty({deepest * panels + block_rows * panel_columns});
    panels_ = room_.data();
    edge_ = panels_ + deepest * panels;
  }

  void run(Start start) const {
    for (Index column = 0; column < columns_; column += block_columns) {
      const Index columns = std::min(block_columns, columns_ - column);
      for (Index r = 0; r < depth_; r += block_depth) {
        const Index depth = std::min(block_depth, depth_ - r);
        pack_panels(b_, r, depth, column, columns, panels_);
        const Start sums = r == 0 ? start : Start{c_, c_stride_};
        for (Index row = 0; row < rows_; row += block_rows) {
          block(row, std::min(block_rows, rows_ - row), r, depth, column, columns, sums);
        }
      }
    }
  }

 private:
  void block(Index row, Index rows, Index r, Index depth, Index column, Index columns,
             Start sums) const {
    const Broadcast left{a_.data + row * a_.stride + r, a_.stride, 1};
    for (Index first = 0; first < columns; first += panel_columns) {
      panel_product(rows, std::min(panel_columns, columns - first), depth, left,
                    panels_ + first * depth, edge_, sums.from(row, column + first),
                    c_ + row * c_stride_ + column + first, c_stride_);
    }
  }

  Index rows_;
  Index columns_;
  Index depth_;
  MatrixView a_;
  MatrixView b_;
  Scalar* c_;
  Index c_stride_;
  Tensor room_;
  Scalar* panels_;  // of a block of b
  Scalar* edge_;    // a product whose panel is not full
};

}  // namespace

void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate) {
  if (own_is_faster(rows, depth, a)) {
    BlockedProduct(rows, columns, depth, a, b, c, c_stride)
        .run(accumulate ? Start{c, c_stride} : Start{});
  } else {
    blas_product(rows, columns, depth, a, b, c, c_stride, accumulate);
  }
}

void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride) {
  if (own_is_faster(rows, depth, a)) {
    BlockedProduct(rows, columns, depth, a, b, c, c_stride).run({row, 0});
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(row, columns, c + i * c_stride);
  }
  blas_product(rows, columns, depth, a, b, c, c_stride, true);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
