#include "core/version.hpp"

namespace tapehead {

std::string_view version() { return TAPEHEAD_VERSION; }

std::string_view kernel_level() { return TAPEHEAD_KERNELS; }

std::string_view vector_instructions() {
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "SSE";
#endif
}

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

}  // namespace tapehead
