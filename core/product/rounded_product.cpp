// Products whose factors are rounded to bfloat16: packs blocks of both for the kernel.

#include "core/memory/pool.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The rounded number is the upper half. A NaN stays a NaN.
[[gnu::always_inline]] inline std::uint32_t rounded(Scalar number) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t nearest = bits + 0x7fffU + ((bits >> 16) & 1U);
  const std::uint32_t finite = magnitude < 0x00800000U ? bits & 0x80000000U : nearest;
  return (magnitude > 0x7f800000U ? bits | 0x00400000U : finite) & 0xffff0000U;
}

// A matrix of words, `step` apart from row to row. A word has two numbers; 0 follows an odd end.
struct Words {
  std::uint32_t* data;
  Index step;
};

// Word (i, k) has the numbers 2k and 2k + 1 of row i.
void pair_in_rows(Index rows, Index columns, const Scalar* from, Index step, const Words& to) {
  for (Index i = 0; i < rows; ++i) {
    const Scalar* const row = from + i * step;
    std::uint32_t* const words = to.data + i * to.step;
    for (Index k = 0; k < columns / 2; ++k) {
      words[k] = (rounded(row[2 * k]) >> 16) | rounded(row[2 * k + 1]);
    }
    if (columns % 2 != 0) {
      words[columns / 2] = rounded(row[columns - 1]) >> 16;
    }
  }
}

// Word (k, j) has the numbers of column j in the rows 2k and 2k + 1.
void pair_in_columns(Index rows, Index columns, const Scalar* from, Index step, const Words& to) {
  for (Index i = 0; i < rows; i += 2) {
    const Scalar* const low = from + i * step;
    const Scalar* const high = low + step;
    std::uint32_t* const words = to.data + i / 2 * to.step;
    for (Index j = 0; j < columns; ++j) {
      words[j] = (rounded(low[j]) >> 16) | (i + 1 < rows ? rounded(high[j]) : 0);
    }
  }
}

// to(c, r) = from(r, c)
void transpose(Index rows, Index columns, const Words& from, const Words& to) {
  constexpr Index side = 16;
  for (Index r = 0; r < rows; r += side) {
    for (Index c = 0; c < columns; c += side) {
      for (Index j = c; j < std::min(c + side, columns); ++j) {
        for (Index i = r; i < std::min(r + side, rows); ++i) {
          to.data[j * to.step + i] = from.data[i * from.step + j];
        }
      }
    }
  }
}

// The largest block. One of b stays in the second-level cache while it is multiplied by all rows of
// a (256 KB). Rows of words are no power of two apart, which would map them to few cache sets.
constexpr Index most_rows = 96;
constexpr Index most_columns = 256;
constexpr Index most_pairs = 256;
constexpr Index apart = 16;

// For float32: in the other build nothing calls it.
void packed_product(Index rows, Index columns, Index depth, const MatrixView& a,
                    const MatrixView& b, Start start, Scalar* c, Index c_stride) {
  const ProductUnit& unit = product_unit();
  constexpr Index left_size = most_rows * (most_pairs + apart);
  constexpr Index right_size = most_pairs * (most_columns + apart);
  constexpr Index turned_size = most_columns * (most_pairs + apart);
  const Buffer memory(sizeof(std::uint32_t) * (left_size + right_size + turned_size));
  auto* const words = reinterpret_cast<std::uint32_t*>(memory.data());
  const Words left{words, a.transposed ? most_rows : most_pairs + apart};
  const Words right{words + left_size, most_columns + apart};
  const Words turned{words + left_size + right_size, most_pairs + apart};
  for (Index column = 0; column < columns; column += most_columns) {
    const Index width = std::min(most_columns, columns - column);
    for (Index first = 0; first == 0 || first < depth; first += 2 * most_pairs) {
      const Index deep = std::min(2 * most_pairs, depth - first);
      const Index pairs = (deep + 1) / 2;
      const MatrixView of_b = b.from(first, column);
      if (b.transposed) {
        pair_in_rows(width, deep, of_b.data, of_b.stride, turned);
        transpose(width, pairs, turned, right);
      } else {
        pair_in_columns(deep, width, of_b.data, of_b.stride, right);
      }
      for (Index row = 0; row < rows; row += most_rows) {
        const Index height = std::min(most_rows, rows - row);
        const MatrixView of_a = a.from(row, first);
        a.transposed ? pair_in_columns(deep, height, of_a.data, of_a.stride, left)
                     : pair_in_rows(height, deep, of_a.data, of_a.stride, left);
        Scalar* const to = c + row * c_stride + column;
        const Start sums = first == 0 ? start.from(row, column) : Start{to, c_stride};
        unit.product({.rows = height,
                      .columns = width,
                      .pairs = pairs,
                      .a = left.data,
                      .a_row_step = a.transposed ? 1 : left.step,
                      .a_pair_step = a.transposed ? left.step : 1,
                      .b = right.data,
                      .b_step = right.step,
                      .start = reinterpret_cast<const float*>(sums.data),
                      .start_step = sums.step,
                      .c = reinterpret_cast<float*>(to),
                      .c_step = c_stride});
      }
    }
  }
}

Tensor rounded_copy(Index rows, Index columns, const MatrixView& from) {
  Tensor to = Tensor::empty({rows, columns});
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      to.row(i)[j] = static_cast<Scalar>(std::bit_cast<float>(rounded(*from.from(i, j).data)));
    }
  }
  return to;
}

}  // namespace

void rounded_product(Index rows, Index columns, Index depth, const MatrixView& a,
                     const MatrixView& b, Start start, Scalar* c, Index c_stride) {
  if constexpr (std::same_as<Scalar, float>) {
    packed_product(rows, columns, depth, a, b, start, c, c_stride);
  } else {
    const Tensor left = rounded_copy(rows, depth, a);
    const Tensor right = rounded_copy(depth, columns, b);
    blocked_product(rows, columns, depth, {left.data(), depth}, {right.data(), columns}, start, c,
                    c_stride);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
