// The innermost product of numbers in bfloat16, two of them in a word of 32 bits. Each unit of a
// CPU that multiplies them has a source with flags of its own. This is the only header of the
// project that these sources include, and it has no code, which their flags would change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tapehead {

// c(i, j) = start(i, j) + Σ_k high(a(i, k)) high(b(k, j)) + low(a(i, k)) low(b(k, j)), in float32.
// Subnormal factors and sums are zero.
struct PairProduct {
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t pairs;
  const std::uint32_t* a;  // a(i, k) = a[i a_row_step + k a_pair_step]
  std::ptrdiff_t a_row_step;
  std::ptrdiff_t a_pair_step;
  const std::uint32_t* b;  // b(k, j) = b[k b_step + j]
  std::ptrdiff_t b_step;
  const float* start;  // start(i, j) = start[i start_step + j]; null: zero. May be c itself
  std::ptrdiff_t start_step;
  float* c;  // c(i, j) = c[i c_step + j]
  std::ptrdiff_t c_step;
};

// These two add in the order above.
void pair_product_plain(const PairProduct& product);        // any CPU
void pair_product_avx512_bf16(const PairProduct& product);  // VDPBF16PS

// TDPBF16PS, for a_pair_step 1. For 16 pairs it adds the products of the high numbers, then those
// of the low ones, and adds both sums to what was there.
void pair_product_amx(const PairProduct& product);

}  // namespace tapehead
