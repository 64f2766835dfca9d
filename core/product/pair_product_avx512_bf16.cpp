#include "core/product/pair_product.hpp"

#include <immintrin.h>

namespace tapehead {

namespace {

constexpr std::ptrdiff_t lanes = 16;

// `last`: the lanes of the last vector that have columns.
template <int Rows, int Vectors>
[[gnu::always_inline]] inline void tile(const PairProduct& p, const std::uint32_t* a,
                                        const std::uint32_t* b, const float* start, float* c,
                                        __mmask16 last) {
  const auto mask = [last](int v) { return v + 1 == Vectors ? last : __mmask16{0xffff}; };
  __m512 sums[Rows][Vectors];
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      sums[i][v] = start == nullptr
                       ? _mm512_setzero_ps()
                       : _mm512_maskz_loadu_ps(mask(v), start + i * p.start_step + v * lanes);
    }
  }
  for (std::ptrdiff_t k = 0; k < p.pairs; ++k) {
    __m512bh right[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      right[v] = (__m512bh)_mm512_maskz_loadu_epi32(mask(v), b + k * p.b_step + v * lanes);
    }
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const auto left =
          (__m512bh)_mm512_set1_epi32(static_cast<int>(a[i * p.a_row_step + k * p.a_pair_step]));
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        sums[i][v] = _mm512_dpbf16_ps(sums[i][v], left, right[v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      _mm512_mask_storeu_ps(c + i * p.c_step + v * lanes, mask(v), sums[i][v]);
    }
  }
}

template <int Rows, int Vectors>
void tiles(const PairProduct& p, std::ptrdiff_t row, std::ptrdiff_t column, __mmask16 last) {
  const std::ptrdiff_t rows = p.rows - row;
  const std::uint32_t* a = p.a + row * p.a_row_step;
  const float* start = p.start == nullptr ? nullptr : p.start + row * p.start_step + column;
  float* c = p.c + row * p.c_step + column;
  if (rows >= Rows) {
    tile<Rows, Vectors>(p, a, p.b + column, start, c, last);
    if (rows > Rows) {
      tiles<Rows, Vectors>(p, row + Rows, column, last);
    }
  } else if constexpr (Rows > 1) {
    tiles<Rows - 1, Vectors>(p, row, column, last);
  }
}

}  // namespace

void pair_product_avx512_bf16(const PairProduct& p) {
  for (std::ptrdiff_t column = 0; column < p.columns; column += 4 * lanes) {
    const std::ptrdiff_t count = p.columns - column;
    const std::ptrdiff_t vectors = (count + lanes - 1) / lanes;
    const int in_last = count >= 4 * lanes ? 16 : static_cast<int>(count - (vectors - 1) * lanes);
    const auto last = static_cast<__mmask16>((1U << in_last) - 1U);
    const auto run = vectors >= 4   ? tiles<6, 4>
                     : vectors == 3 ? tiles<6, 3>
                     : vectors == 2 ? tiles<6, 2>
                                    : tiles<6, 1>;
    run(p, 0, column, last);
  }
}

}  // namespace tapehead
