#include "core/product/rounded_product.hpp"

namespace tapehead {

namespace {

// The rounded number is the upper half. A NaN stays a NaN.
[[gnu::always_inline]] inline std::uint32_t rounded(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
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

// A step for rows of so many words: an odd number of cache lines, because the words of a column
// would share few sets of a cache if rows were a power of two apart.
constexpr Index step_of(Index words) {
  constexpr Index line = 16;
  return ((words + line - 1) / line | 1) * line;
}

// Word (i, k) has the numbers 2k and 2k + 1 of row i.
void pair_in_rows(Index rows, Index columns, const MatrixOf<float>& from, const Words& to) {
  for (Index i = 0; i < rows; ++i) {
    const float* const row = from.data + i * from.stride;
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
void pair_in_columns(Index rows, Index columns, const MatrixOf<float>& from, const Words& to) {
  for (Index i = 0; i < rows; i += 2) {
    const float* const low = from.data + i * from.stride;
    const float* const high = low + from.stride;
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
// a (256 KB).
constexpr Index most_rows = 96;
constexpr Index most_columns = 256;
constexpr Index most_pairs = 256;

// Memory for the words of a block of a, of a block of b, and of a block before it is transposed.
class Scratch {
 public:
  std::uint32_t* left() const { return reinterpret_cast<std::uint32_t*>(memory_.data()); }
  std::uint32_t* right() const { return left() + left_size; }
  std::uint32_t* turned() const { return right() + right_size; }

 private:
  static constexpr Index left_size =
      std::max(step_of(most_pairs) * most_rows, step_of(most_rows) * most_pairs);
  static constexpr Index right_size = most_pairs * step_of(most_columns);
  static constexpr Index turned_size = most_columns * step_of(most_pairs);
  Buffer memory_{sizeof(std::uint32_t) * (left_size + right_size + turned_size)};
};

// A block of b: `depth` of its rows from `first` on, `width` of its columns from `column` on.
struct Block {
  Index first;
  Index depth;
  Index column;
  Index width;

  Index pairs() const { return (depth + 1) / 2; }
};

// Calls `each` for the blocks of b from top to bottom, then to the right. With depth 0 there is one
// block of each column.
void for_each_block(Index depth, Index columns, const auto& each) {
  for (Index column = 0; column < columns; column += most_columns) {
    for (Index first = 0; first == 0 || first < depth; first += 2 * most_pairs) {
      each(Block{.first = first,
                 .depth = std::min(2 * most_pairs, depth - first),
                 .column = column,
                 .width = std::min(most_columns, columns - column)});
    }
  }
}

Words pack_right(const MatrixOf<float>& b, const Block& block, const Scratch& scratch,
                 std::uint32_t* to) {
  const MatrixOf<float> from = b.from(block.first, block.column);
  const Words words{to, step_of(block.width)};
  if (b.transposed) {
    const Words turned{scratch.turned(), step_of(block.pairs())};
    pair_in_rows(block.width, block.depth, from, turned);
    transpose(block.width, block.pairs(), turned, words);
  } else {
    pair_in_columns(block.depth, block.width, from, words);
  }
  return words;
}

// The rows of a product.
struct Rows {
  Index count;
  const MatrixOf<float>& a;
  StartOf<float> start;
  float* c;
  Index c_stride;
};

// c = start + a b in the columns of a block of b; below the first block c += a b.
void multiply(const ProductUnit& unit, const Rows& rows, const Block& block, const Words& right,
              const Scratch& scratch) {
  const Index pairs = block.pairs();
  const bool turned = rows.a.transposed && !unit.takes_rows_of_a;
  const Words left{scratch.left(), step_of(turned ? most_rows : pairs)};
  for (Index row = 0; row < rows.count; row += most_rows) {
    const Index height = std::min(most_rows, rows.count - row);
    const MatrixOf<float> from = rows.a.from(row, block.first);
    if (turned) {
      pair_in_columns(block.depth, height, from, left);
    } else if (rows.a.transposed) {
      const Words columns{scratch.turned(), step_of(height)};
      pair_in_columns(block.depth, height, from, columns);
      transpose(pairs, height, columns, left);
    } else {
      pair_in_rows(height, block.depth, from, left);
    }
    float* const c = rows.c + row * rows.c_stride + block.column;
    const StartOf<float> sums =
        block.first == 0 ? rows.start.from(row, block.column) : StartOf<float>{c, rows.c_stride};
    unit.product({.rows = height,
                  .columns = block.width,
                  .pairs = pairs,
                  .a = left.data,
                  .a_row_step = turned ? 1 : left.step,
                  .a_pair_step = turned ? left.step : 1,
                  .b = right.data,
                  .b_step = right.step,
                  .start = sums.data,
                  .start_step = sums.step,
                  .c = c,
                  .c_step = rows.c_stride});
  }
}

}  // namespace

void rounded_product(Index rows, Index columns, Index depth, const MatrixOf<float>& a,
                     const MatrixOf<float>& b, StartOf<float> start, float* c, Index c_stride,
                     const ProductUnit& unit) {
  const Scratch scratch;
  for_each_block(depth, columns, [&](const Block& block) {
    multiply(unit, {rows, a, start, c, c_stride}, block,
             pack_right(b, block, scratch, scratch.right()), scratch);
  });
}

RoundedMatrix::RoundedMatrix(const MatrixOf<float>& b, Index depth, Index columns)
    : depth_(depth), columns_(columns) {
  Index words = 0;
  for_each_block(depth, columns,
                 [&](const Block& block) { words += block.pairs() * step_of(block.width); });
  words_ = Buffer(sizeof(std::uint32_t) * static_cast<std::size_t>(words));
  const Scratch scratch;
  auto* to = reinterpret_cast<std::uint32_t*>(words_.data());
  for_each_block(depth, columns, [&](const Block& block) {
    to += block.pairs() * pack_right(b, block, scratch, to).step;
  });
}

void RoundedMatrix::product(Index rows, const MatrixOf<float>& a, StartOf<float> start, float* c,
                            Index c_stride) const {
  const Scratch scratch;
  auto* from = reinterpret_cast<std::uint32_t*>(words_.data());
  for_each_block(depth_, columns_, [&](const Block& block) {
    const Words right{from, step_of(block.width)};
    multiply(product_unit(), {rows, a, start, c, c_stride}, block, right, scratch);
    from += block.pairs() * right.step;
  });
}

namespace {

[[noreturn]] void refuse() {
  throw ConfigError("products in bfloat16 need the library in single precision");
}

}  // namespace

void rounded_product(Index, Index, Index, const MatrixOf<double>&, const MatrixOf<double>&,
                     StartOf<double>, double*, Index) {
  refuse();
}
RoundedMatrix::RoundedMatrix(const MatrixOf<double>&, Index, Index) { refuse(); }
void RoundedMatrix::product(Index, const MatrixOf<double>&, StartOf<double>, double*, Index) const {
  refuse();
}

}  // namespace tapehead
