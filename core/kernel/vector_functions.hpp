// Vector versions of x y + z and of the exponential function.
#pragma once

#include "core/prelude.hpp"

#include <xsimd/xsimd.hpp>

namespace tapehead {

// x y + z, rounded once if the CPU has such an instruction (AVX2, AVX-512, arm64). Results are
// compared bit by bit, so the level of optimisation must not change this. For 512-bit vectors xsimd
// 8 writes a product and a sum, which GCC fuses only from -O2 on.
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

// exp(x) for x <= 88, such as in softmax: without guards for large results it takes three quarters
// of the time. The relative error is at most 1.3e-7 down to the smallest normal number; the result
// is 0 for x <= -88.376, also for -inf. If x = k log 2 + r and k is an integer, exp(x) = 2ᵏ (1 + r
// + r² p(r)) (Cody and Waite, Software Manual for the Elementary Functions, 1980); p has the
// coefficients of the exp of xsimd.
inline xsimd::batch<float> exp_of_small(const xsimd::batch<float>& x) {
  using Floats = xsimd::batch<float>;
  using Bits [[gnu::vector_size(sizeof(Floats))]] = std::int32_t;
  constexpr int exponent_begins = 23;
  // Adding `shifter` rounds to the integer k; the sum's last bits are k + 127, the exponent of 2ᵏ.
  const Floats shifter(0x1.8p23F + 127);
  const Floats shifted = fused_multiply_add(x, Floats(0x1.715476p+0F), shifter);  // 1 / log 2
  const Floats k = shifted - shifter;
  const Floats near = fused_multiply_add(k, Floats(-0x1.63p-1F), x);  // -log 2, in two parts
  const Floats r = fused_multiply_add(k, Floats(0x1.bd0106p-13F), near);
  Floats p(0x1.6ef19ep-10F);
  p = fused_multiply_add(p, r, Floats(0x1.131b16p-7F));
  p = fused_multiply_add(p, r, Floats(0x1.5552aep-5F));
  p = fused_multiply_add(p, r, Floats(0x1.55534ap-3F));
  p = fused_multiply_add(p, r, Floats(0.5F));
  const Floats power(__builtin_bit_cast(Floats::register_type,
                                        __builtin_bit_cast(Bits, shifted.data) << exponent_begins));
  const Floats result = power * (fused_multiply_add(p, r * r, r) + Floats(1.0F));
  return xsimd::select(x <= Floats(-88.376F), Floats(0.0F), result);
}

inline xsimd::batch<double> exp_of_small(const xsimd::batch<double>& x) { return xsimd::exp(x); }

}  // namespace tapehead
