// How the calling thread computes with subnormal numbers: they are slow, and no result needs them.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tapehead {

#if defined(__x86_64__)
constexpr std::uint32_t subnormals_are_zero = 0x8000 | 0x0040;  // results, and operands
inline std::uint32_t float_control() { return _mm_getcsr(); }
inline void set_float_control(std::uint32_t control) { _mm_setcsr(control); }
#else
// Bit 24 is for operands and results (Arm Architecture Reference Manual, FPCR).
constexpr std::uint64_t subnormals_are_zero = 1 << 24;
inline std::uint64_t float_control() {
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void set_float_control(std::uint64_t control) {
  asm volatile("msr fpcr, %0" : : "r"(control));
}
#endif

}  // namespace tapehead
