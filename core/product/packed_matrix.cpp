// Packs matrices into panels, copies transposed matrices, and calls BLAS for products.

#include "core/product/matrix_product.hpp"

#include <complex>

// The BLAS wrappers that xtensor-blas is built on; they rely on the headers above.
#include <xflens/cxxblas/cxxblas.cxx>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void blas_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                  Index c_stride, bool accumulate) {
  if (rows == 0 || columns == 0) {
    return;
  }
  if (depth == 0) {  // BLAS rejects the strides of 0 that may come with it
    for (Index i = 0; i < rows && !accumulate; ++i) {
      std::fill_n(c + i * c_stride, columns, Scalar{0});
    }
    return;
  }
  const auto transpose = [](const MatrixView& matrix) {
    return matrix.transposed ? cxxblas::Transpose::Trans : cxxblas::Transpose::NoTrans;
  };
  cxxblas::gemm<int>(cxxblas::StorageOrder::RowMajor, transpose(a), transpose(b),
                     static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(depth),
                     Scalar{1}, a.data, static_cast<int>(a.stride), b.data,
                     static_cast<int>(b.stride), static_cast<Scalar>(accumulate), c,
                     static_cast<int>(c_stride));
}

namespace {

using Square = std::array<Lanes, Lanes::size>;  // as many rows as columns

// Exchanges runs of `Run` numbers: the odd runs of a with the even runs of b.
template <std::size_t Run, std::size_t... I>
[[gnu::always_inline]] inline void exchange_runs(Lanes& a, Lanes& b,
                                                 std::index_sequence<I...> /*lanes*/) {
  constexpr auto even = [](std::size_t i) { return (i & Run) == 0; };
  const auto first = a.data;
  const auto second = b.data;
  a = Lanes(__builtin_shufflevector(first, second, (even(I) ? I : Lanes::size + I - Run)...));
  b = Lanes(__builtin_shufflevector(first, second, (even(I) ? I + Run : Lanes::size + I)...));
}

// Swaps the two off-diagonal quarters of every square of 2 `Run` rows, then of each quarter.
template <std::size_t Run>
[[gnu::always_inline]] inline void transpose(Square& block) {
  if constexpr (Run > 0) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Lanes::size; ++i) {
      if ((i & Run) == 0) {
        exchange_runs<Run>(block[i], block[i + Run], std::make_index_sequence<Lanes::size>());
      }
    }
    transpose<Run / 2>(block);
  }
}

template <bool Whole>
void copy_block(Index rows, Index columns, const Scalar* from, Index step, const Lanes& factor,
                Scalar* to, Index to_step) {
  Square block;
#pragma GCC unroll 16
  for (Index r = 0; r < lane_count; ++r) {
    Lanes& row = block[static_cast<std::size_t>(r)];
    if (Whole || (r < rows && columns == lane_count)) {
      row = Lanes::load_unaligned(from + r * step);
    } else {
      row = r < rows ? load_some(from + r * step, columns) : Lanes(Scalar{0});
    }
  }
  transpose<Lanes::size / 2>(block);
#pragma GCC unroll 16
  for (Index c = 0; c < lane_count; ++c) {
    if (Whole || c < columns) {
      (factor * block[static_cast<std::size_t>(c)]).store_unaligned(to + c * to_step);
    }
  }
}

}  // namespace

void copy_transposed(Index rows, Index columns, const Scalar* from, Index step, Scalar factor,
                     Scalar* to, Index to_step) {
  const Lanes factors(factor);
  // Prefetches the block `ahead` columns further on. After the last column this is a block of the
  // rows below; after the last rows it is often the matrix that is copied next.
  const Index ahead = std::min(4 * lane_count, columns);
  // Copies `lane_count` rows from end to end: so few streams that a core prefetches them itself.
  for (Index r = 0; r < rows; r += lane_count) {
    for (Index c = 0; c < columns; c += lane_count) {
      const Scalar* at = from + r * step + c;
      const Index next = c + ahead < columns ? ahead : lane_count * step + ahead - columns;
      for (Index row = 0; row < lane_count; ++row) {
        prefetch_to_read(at + next + row * step, 1);
      }
      const Index height = std::min(lane_count, rows - r);
      const Index width = std::min(lane_count, columns - c);
      const auto copy =
          height == lane_count && width == lane_count ? copy_block<true> : copy_block<false>;
      copy(height, width, at, step, factors, to + c * to_step + r, to_step);
    }
  }
}

namespace {

// c = start + a times some rows of a panel with `columns` columns before the padding. If these do
// not fill whole vectors, `edge`, which has room for whole vectors, holds the result.
void panel_product(Index rows, Index columns, Index depth, const Broadcast& a, const Scalar* panel,
                   Scalar* edge, Start start, Scalar* c, Index c_stride, Prefetcher* prefetcher) {
  const Index step = whole_vectors(columns);
  const bool whole = columns == step;
  if (!whole && start.data != nullptr) {
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(start.from(i, 0).data, columns, edge + i * step);
    }
    start = {edge, step};
  }
  broadcast_product(rows, depth, step, a, panel, step, start, whole ? c : edge,
                    whole ? c_stride : step, prefetcher);
  for (Index i = 0; !whole && i < rows; ++i) {
    std::copy_n(edge + i * step, columns, c + i * c_stride);
  }
}

}  // namespace

// The padding of the last panel is arbitrary, since its results are not copied.
PackedMatrix::PackedMatrix(const MatrixView& b, Index depth, Index columns, Precision precision)
    : depth_(depth), columns_(columns) {
  if (precision == Precision::bfloat16) {
    rounded_.emplace(b, depth, columns);
    return;
  }
  panels_ = Tensor::empty({depth, whole_vectors(columns)});
  for (Index first = 0; first < columns; first += product_columns) {
    const Index count = std::min(product_columns, columns - first);
    const Index step = whole_vectors(count);
    const Scalar* from = b.from(0, first).data;
    Scalar* panel = panels_.data() + first * depth;
    if (b.transposed) {
      copy_transposed(count, depth, from, b.stride, 1, panel, step);
      continue;
    }
    for (Index r = 0; r < depth; ++r) {
      map_row(count, panel + r * step, [](const Lanes& x) { return x; }, from + r * b.stride);
    }
  }
}

void PackedMatrix::product(Index rows, const MatrixView& a, Start start, Scalar* c,
                           Index c_stride) const {
  if (rounded_) {
    rounded_->product(rows, a, start, c, c_stride);
    return;
  }
  for (Index row = 0; row < rows; row += block_rows) {
    block_product(std::min(block_rows, rows - row), {a.data + row * a.stride, a.stride, 1},
                  start.from(row, 0), c + row * c_stride, c_stride, nullptr);
  }
}

void PackedMatrix::block_product(Index rows, const Broadcast& a, Start start, Scalar* c,
                                 Index c_stride, Prefetcher* prefetcher) const {
  std::array<Scalar, block_rows * product_columns> edge;
  for (Index column = 0; column < columns_; column += product_columns) {
    const Index count = std::min(product_columns, columns_ - column);
    for (Index r = 0; r < depth_; r += panel_depth) {
      if (prefetcher != nullptr) {
        const bool another = r + panel_depth >= depth_ && column + product_columns < columns_;
        prefetcher->next_result = another ? c + column + product_columns : nullptr;
      }
      const Start sums = r == 0 ? start.from(0, column) : Start{c + column, c_stride};
      panel_product(rows, count, std::min(panel_depth, depth_ - r),
                    {a.data + r * a.depth_step, a.row_step, a.depth_step},
                    panels_.data() + column * depth_ + r * whole_vectors(count), edge.data(), sums,
                    c + column, c_stride, prefetcher);
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
