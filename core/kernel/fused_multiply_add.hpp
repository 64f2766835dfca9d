// x y + z on vectors, rounded once, whatever the compiler and its options do with a product and a
// sum. Results that are compared bit by bit must not depend on the optimisation level.
#pragma once

#include <immintrin.h>

#include <type_traits>
#include <xsimd/xsimd.hpp>

namespace tapehead {

// xsimd 8 has no such instruction for vectors of 512 bits. It writes a product and a sum, which GCC
// fuses only from -O2 on.
template <class Number>
inline xsimd::batch<Number> fused_multiply_add(const xsimd::batch<Number>& x,
                                               const xsimd::batch<Number>& y,
                                               const xsimd::batch<Number>& z) {
  if constexpr (sizeof(xsimd::batch<Number>) < sizeof(__m512)) {
    return xsimd::fma(x, y, z);
  } else if constexpr (std::is_same_v<Number, float>) {
    return _mm512_fmadd_ps(x, y, z);
  } else {
    return _mm512_fmadd_pd(x, y, z);
  }
}

}  // namespace tapehead
