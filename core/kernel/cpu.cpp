#include "core/kernel/cpu.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <cstdint>
#endif

namespace tapehead {

#if defined(__x86_64__)
bool cpu_has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

void flush_denormals() {
  constexpr unsigned flush_to_zero = 0x8000;
  constexpr unsigned denormals_are_zero = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
}

void pause_polling() { _mm_pause(); }
#else
bool cpu_has_avx512() { return false; }

// Bit 24 of the floating-point control register (Arm Architecture Reference Manual, FPCR) is about
// both what is read and what is written.
void flush_denormals() {
  constexpr std::uint64_t flush_to_zero = 1 << 24;
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | flush_to_zero));
}

void pause_polling() { asm volatile("isb" : : : "memory"); }
#endif

}  // namespace tapehead
