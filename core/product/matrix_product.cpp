#include "core/product/matrix_product.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/memory/prefetch.hpp"
#include "core/version.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The start of a block, or its size: rows of a and c, depth of a and b, columns of b and c.
struct Block {
  Index row = 0;
  Index depth = 0;
  Index column = 0;
};

// A packed block of b stays in the second-level cache while it is multiplied by all rows of a, one
// block after the other (Goto and van de Geijn 2008). The next blocks are prefetched meanwhile.
struct BlockedProduct {
  Block all;
  MatrixView a;
  MatrixView b;

  void run(Start start, Scalar* c, Index c_stride) const {
    const bool fetches =
        all.row * all.depth + all.depth * all.column + all.row * all.column > stays_in_cache;
    std::optional<PackedMatrix> packed;
    Block next;
    for (Block at; at.column < all.column; at = next) {
      next = {.row = at.row + largest.row, .depth = at.depth, .column = at.column};
      if (next.row >= all.row) {
        next = after_block_of_b(at);
      }
      const Block size = size_of(at);
      if (at.row == 0) {
        packed.emplace(b.from(at.depth, at.column), size.depth, size.column);
      }
      const Scalar* from = a.from(at.row, at.depth).data;
      const Broadcast left =
          a.transposed ? Broadcast{from, 1, a.stride} : Broadcast{from, a.stride, 1};
      Scalar* to = c + at.row * c_stride + at.column;
      const Start sums = at.depth == 0 ? start.from(at.row, at.column) : Start{to, c_stride};
      std::optional<Prefetcher> ahead;
      if (fetches) {
        ahead.emplace(Prefetcher::Matrices{rows_of_a(next), share_of_next_b(at)},
                      prefetches(size.row, size.depth, size.column, left));
      }
      packed->block_product(size.row, left, sums, to, c_stride, ahead ? &*ahead : nullptr);
    }
  }

  // The largest block: 12,288 numbers of a, 65,536 of b.
  static constexpr Block largest{.row = 48, .depth = 256, .column = 256};
  // Smaller matrices were just written and are still in the cache. With AVX2, prefetching them
  // makes a step of size A 2 % slower; with AVX-512 it changes nothing.
  static constexpr Index stays_in_cache = (Index{1} << 20) / sizeof(Scalar);
  // The next block of b is prefetched during these last rows of a: earlier it would be evicted.
  static constexpr Index fetches_b_within = 288;

  Block size_of(const Block& at) const {
    return {std::min(largest.row, all.row - at.row), std::min(largest.depth, all.depth - at.depth),
            std::min(largest.column, all.column - at.column)};
  }

  // The first block with the next block of b; after the last, its column is beyond all columns.
  Block after_block_of_b(Block at) const {
    at.row = 0;
    at.depth += largest.depth;
    if (at.depth >= all.depth) {
      at.depth = 0;
      at.column += largest.column;
    }
    return at;
  }

  static StoredRows stored(const MatrixView& matrix, Index rows, Index columns) {
    if (matrix.transposed) {
      std::swap(rows, columns);
    }
    return {matrix.data, matrix.stride, rows, columns};
  }

  StoredRows rows_of_a(const Block& at) const {
    if (at.column >= all.column) {
      return {};
    }
    const Block size = size_of(at);
    return stored(a.from(at.row, at.depth), size.row, size.depth);
  }

  // This block's share of the next block of b, in proportion to its share of a's last rows.
  StoredRows share_of_next_b(const Block& at) const {
    const Block next = after_block_of_b(at);
    if (next.column >= all.column) {
      return {};
    }
    const Block size = size_of(next);
    const StoredRows rows = stored(b.from(next.depth, next.column), size.depth, size.column);
    const Index last_rows = std::min(fetches_b_within, all.row);
    const auto share = [&](Index row) {
      return rows.rows * std::max<Index>(0, row - (all.row - last_rows)) / last_rows;
    };
    return rows.part(share(at.row), share(at.row + size_of(at).row));
  }
};

constexpr bool has_avx512_vectors = sizeof(Lanes) == 64;

// Whether our own product is faster: OpenBLAS packs both sides without prefetching them, and clears
// c first. There must be enough rows to make packing b worth it. OpenBLAS is faster if our vectors
// have 128 bits, are narrower than those of the CPU, or have 256 bits and a is transposed.
bool own_is_faster(Index rows, Index depth, const MatrixView& a) {
  constexpr Index fewest_rows = 64;
  constexpr bool wide = sizeof(Lanes) >= 32;
  static const bool widest = has_avx512_vectors || (wide && !cpu_has_avx512());
  return widest && (has_avx512_vectors || !a.transposed) && rows >= fewest_rows && depth > 0;
}

// Whether c = aᵀ b has so few rows or columns that packing a and b is not worth it.
bool outer_products_are_faster(Index rows, Index columns, Index depth, const MatrixView& a,
                               const MatrixView& b) {
  constexpr Index few = 64;
  return has_avx512_vectors && a.transposed && !b.transposed && columns % lane_count == 0 &&
         std::min(rows, columns) <= few && depth > 0;
}

// c = start + Σ_r a_r ⊗ b_r over the rows of a and b, in blocks: the rows of a and b stay in the
// first-level cache, the rows of c in the second-level cache.
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

void blocked_product(Index rows, Index columns, Index depth, const MatrixView& a,
                     const MatrixView& b, Start start, Scalar* c, Index c_stride) {
  const Block all{.row = rows, .depth = depth, .column = columns};
  BlockedProduct{all, a, b}.run(start, c, c_stride);
}

void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate, Precision precision) {
  const Start start = accumulate ? Start{c, c_stride} : Start{};
  if (precision == Precision::bfloat16) {
    rounded_product(rows, columns, depth, a, b, start, c, c_stride);
  } else if (outer_products_are_faster(rows, columns, depth, a, b)) {
    sum_of_outer_products(rows, columns, depth, a, b, start, c, c_stride);
  } else if (own_is_faster(rows, depth, a)) {
    blocked_product(rows, columns, depth, a, b, start, c, c_stride);
  } else {
    blas_product(rows, columns, depth, a, b, c, c_stride, accumulate);
  }
}

void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride, Precision precision) {
  if (precision == Precision::bfloat16) {
    rounded_product(rows, columns, depth, a, b, {row, 0}, c, c_stride);
  } else if (row == nullptr) {
    matrix_product(rows, columns, depth, a, b, c, c_stride, false);
  } else if (own_is_faster(rows, depth, a)) {
    blocked_product(rows, columns, depth, a, b, {row, 0}, c, c_stride);
  } else {
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(row, columns, c + i * c_stride);
    }
    blas_product(rows, columns, depth, a, b, c, c_stride, true);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
