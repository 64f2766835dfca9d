#include "core/product/blocked_product.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/memory/prefetch.hpp"
#include "core/product/packed_matrix.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The start of a block, or its size: rows of a and c, depth of a and b, columns of b and c.
struct Block {
  Index row = 0;
  Index depth = 0;
  Index column = 0;
};

// A packed block of b stays in the second-level cache while all rows of a pass, one block after the
// other (Goto and van de Geijn 2008). Meanwhile the numbers for the next blocks are prefetched.
class BlockedProduct {
 public:
  BlockedProduct(Index rows, Index columns, Index depth, const MatrixView& a, const MatrixView& b)
      : all_{.row = rows, .depth = depth, .column = columns},
        a_(a),
        b_(b),
        fetches_(rows * depth + depth * columns + rows * columns > stays_in_cache) {}

  void run(Start start, Scalar* c, Index c_stride) {
    std::optional<PackedMatrix> packed;
    Block next;
    for (Block at; at.column < all_.column; at = next) {
      next = after(at);
      const Block size = size_of(at);
      if (at.row == 0) {
        packed.emplace(b_.from(at.depth, at.column), size.depth, size.column);
      }
      const Broadcast left = block_of_a(at);
      Scalar* to = c + at.row * c_stride + at.column;
      const Start sums = at.depth == 0 ? start.from(at.row, at.column) : Start{to, c_stride};
      std::optional<Prefetcher> ahead;
      if (fetches_) {
        ahead.emplace(Prefetcher::Matrices{rows_of_a(next), share_of_next_b(at)},
                      prefetches(size.row, size.depth, size.column, left));
      }
      packed->block_product(size.row, left, sums, to, c_stride, ahead ? &*ahead : nullptr);
    }
  }

 private:
  // The largest block: 12,288 numbers of a, 65,536 of b.
  static constexpr Block largest{.row = 48, .depth = 256, .column = 256};
  // Smaller matrices were written a moment ago, and are still in the cache. To prefetch them costs
  // a step of size A 2 % with AVX2, and nothing with AVX-512.
  static constexpr Index stays_in_cache = (Index{1} << 20) / sizeof(Scalar);
  // While the last rows of a are processed; what is fetched earlier is evicted again.
  static constexpr Index fetches_b_within = 288;

  Block size_of(const Block& at) const {
    return {std::min(largest.row, all_.row - at.row),
            std::min(largest.depth, all_.depth - at.depth),
            std::min(largest.column, all_.column - at.column)};
  }

  // After the last block it returns one whose column is beyond all.
  Block after(Block at) const {
    at.row += largest.row;
    return at.row < all_.row ? at : after_block_of_b(at);
  }

  Block after_block_of_b(Block at) const {
    at.row = 0;
    at.depth += largest.depth;
    if (at.depth >= all_.depth) {
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
    if (at.column >= all_.column) {
      return {};
    }
    const Block size = size_of(at);
    return stored(a_.from(at.row, at.depth), size.row, size.depth);
  }

  // The share of the next block of b that this block prefetches, in proportion to its share of a's
  // last rows.
  StoredRows share_of_next_b(const Block& at) const {
    const Block next = after_block_of_b(at);
    if (next.column >= all_.column) {
      return {};
    }
    const Block size = size_of(next);
    const StoredRows b = stored(b_.from(next.depth, next.column), size.depth, size.column);
    const Index last_rows = std::min(fetches_b_within, all_.row);
    const auto share = [&](Index row) {
      return b.rows * std::max<Index>(0, row - (all_.row - last_rows)) / last_rows;
    };
    return b.part(share(at.row), share(at.row + size_of(at).row));
  }

  Broadcast block_of_a(const Block& at) const {
    const MatrixView a = a_.from(at.row, at.depth);
    return a.transposed ? Broadcast{a.data, 1, a.stride} : Broadcast{a.data, a.stride, 1};
  }

  Block all_;
  MatrixView a_;
  MatrixView b_;
  bool fetches_;
};

}  // namespace

void blocked_product(Index rows, Index columns, Index depth, const MatrixView& a,
                     const MatrixView& b, Start start, Scalar* c, Index c_stride) {
  BlockedProduct(rows, columns, depth, a, b).run(start, c, c_stride);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
