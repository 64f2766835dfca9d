#include "core/product/pair_product.hpp"

#include <immintrin.h>

namespace tapehead {

namespace {

constexpr std::ptrdiff_t side = 16;  // the rows, and the words of a row, of a whole tile

// What LDTILECFG reads: the size of each tile (Intel's Software Developer's Manual, volume 1,
// "Programming with Intel Advanced Matrix Extensions").
struct alignas(64) TileSizes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

// Tile instructions read or write this memory, which the compiler does not know: to GCC 12 they
// have no operand in memory, and LDTILECFG has one of 8 bytes.
[[gnu::always_inline]] inline void used_by_tiles(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

// A part of c of up to two by two tiles. The tiles 0 to 3 have its sums, 0 and 1 above 2 and 3; 4
// and 5 rows of a; 6 and 7 columns of b.
struct Block {
  std::ptrdiff_t row;
  std::ptrdiff_t column;
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
};

// Tiles without rows or without columns are not used.
void set_sizes(const Block& block) {
  TileSizes sizes;
  const auto set = [&sizes](int tile, std::ptrdiff_t rows, std::ptrdiff_t words) {
    if (rows > 0 && words > 0) {
      sizes.rows[tile] = static_cast<std::uint8_t>(rows < side ? rows : side);
      sizes.row_bytes[tile] = static_cast<std::uint16_t>(4 * (words < side ? words : side));
    }
  };
  for (int i = 0; i < 2; ++i) {
    set(4 + i, block.rows - i * side, side);
    set(6 + i, side, block.columns - i * side);
    for (int j = 0; j < 2; ++j) {
      set(2 * i + j, block.rows - i * side, block.columns - j * side);
    }
  }
  used_by_tiles(&sizes);
  _tile_loadconfig(&sizes);
}

// Adds the products of 16 pairs. Rows of a and b are so many words apart.
template <bool Below, bool Beside>
[[gnu::always_inline]] inline void add_products(const std::uint32_t* a, std::ptrdiff_t a_step,
                                                const std::uint32_t* b, std::ptrdiff_t b_step) {
  _tile_loadd(4, a, 4 * a_step);
  _tile_loadd(6, b, 4 * b_step);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (Beside) {
    _tile_loadd(7, b + side, 4 * b_step);
    _tile_dpbf16ps(1, 4, 7);
  }
  if constexpr (Below) {
    _tile_loadd(5, a + side * a_step, 4 * a_step);
    _tile_dpbf16ps(2, 5, 6);
  }
  if constexpr (Below && Beside) {
    _tile_dpbf16ps(3, 5, 7);
  }
}

// The last pairs, fewer than 16, with zeros behind them: other sizes of tiles would clear the sums.
template <bool Below, bool Beside>
void add_last_products(const PairProduct& p, const Block& block, std::ptrdiff_t first) {
  alignas(64) std::uint32_t a[2 * side * side] = {};
  alignas(64) std::uint32_t b[2 * side * side] = {};
  for (std::ptrdiff_t k = first; k < p.pairs; ++k) {
    for (std::ptrdiff_t i = 0; i < block.rows; ++i) {
      a[i * side + k - first] = p.a[(block.row + i) * p.a_row_step + k];
    }
    for (std::ptrdiff_t j = 0; j < block.columns; ++j) {
      b[(k - first) * 2 * side + j] = p.b[k * p.b_step + block.column + j];
    }
  }
  used_by_tiles(a);
  used_by_tiles(b);
  add_products<Below, Beside>(a, side, b, 2 * side);
}

template <bool Below, bool Beside>
void multiply(const PairProduct& p, const Block& block) {
  alignas(64) static constexpr float zeros[2 * side] = {};
  const bool from_zero = p.start == nullptr;
  const std::ptrdiff_t step = from_zero ? 0 : p.start_step;
  const float* const start = from_zero ? zeros : p.start + block.row * step + block.column;
  _tile_loadd(0, start, 4 * step);
  if constexpr (Beside) {
    _tile_loadd(1, start + side, 4 * step);
  }
  if constexpr (Below) {
    _tile_loadd(2, start + side * step, 4 * step);
  }
  if constexpr (Below && Beside) {
    _tile_loadd(3, start + side * step + side, 4 * step);
  }
  const std::uint32_t* const a = p.a + block.row * p.a_row_step;
  const std::uint32_t* const b = p.b + block.column;
  std::ptrdiff_t k = 0;
  for (; k + side <= p.pairs; k += side) {
    add_products<Below, Beside>(a + k, p.a_row_step, b + k * p.b_step, p.b_step);
  }
  if (k < p.pairs) {
    add_last_products<Below, Beside>(p, block, k);
  }
  // Not into c at once, whose rows are often a power of two apart and share few sets of the cache.
  alignas(64) float sums[2 * side * 2 * side];
  constexpr std::ptrdiff_t row_bytes = 4 * 2 * side;
  _tile_stored(0, sums, row_bytes);
  if constexpr (Beside) {
    _tile_stored(1, sums + side, row_bytes);
  }
  if constexpr (Below) {
    _tile_stored(2, sums + side * 2 * side, row_bytes);
  }
  if constexpr (Below && Beside) {
    _tile_stored(3, sums + side * 2 * side + side, row_bytes);
  }
  used_by_tiles(sums);
  for (std::ptrdiff_t i = 0; i < block.rows; ++i) {
    __builtin_memcpy(p.c + (block.row + i) * p.c_step + block.column, sums + i * 2 * side,
                     4 * static_cast<std::size_t>(block.columns));
  }
}

std::ptrdiff_t at_most_two_tiles(std::ptrdiff_t count) {
  return count < 2 * side ? count : 2 * side;
}

}  // namespace

void pair_product_amx(const PairProduct& p) {
  Block sized{};
  for (std::ptrdiff_t column = 0; column < p.columns; column += 2 * side) {
    for (std::ptrdiff_t row = 0; row < p.rows; row += 2 * side) {
      const Block block{.row = row,
                        .column = column,
                        .rows = at_most_two_tiles(p.rows - row),
                        .columns = at_most_two_tiles(p.columns - column)};
      if (block.rows != sized.rows || block.columns != sized.columns) {
        set_sizes(block);
        sized = block;
      }
      const bool beside = block.columns > side;
      const auto run = block.rows > side
                           ? (beside ? multiply<true, true> : multiply<true, false>)
                           : (beside ? multiply<false, true> : multiply<false, false>);
      run(p, block);
    }
  }
  _tile_release();
}

}  // namespace tapehead
