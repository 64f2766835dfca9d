// x y + z on vectors, whatever the compiler and its options do with a product and a sum: rounded
// once where the instructions have it, as with AVX2, AVX-512 and on arm64. Results that are
// compared bit by bit must not depend on the optimisation level.
#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

namespace tapehead {

// xsimd 8 has no such instruction for vectors of 512 bits. It writes a product and a sum, which GCC
// fuses only from -O2 on.
template <class Number>
inline xsimd::batch<Number> fused_multiply_add(const xsimd::batch<Number>& x,
                                               const xsimd::batch<Number>& y,
                                               const xsimd::batch<Number>& z) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<Number, float>) {
    return _mm512_fmadd_ps(x, y, z);
  } else {
    return _mm512_fmadd_pd(x, y, z);
  }
#else
  return xsimd::fma(x, y, z);
#endif
}

}  // namespace tapehead
