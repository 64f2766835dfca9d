// The version of the program, the CPUs that it was built for, and the features of the current CPU.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

std::string_view version();  // "1.2.3"

// The build option TAPEHEAD_KERNELS: "native" for the CPU of the build machine; "sse4", "avx2" or
// "avx512" for all x86-64 CPUs with these instructions; "neon" for all ARMv8 CPUs.
std::string_view kernel_level();

std::string_view vector_instructions();  // of the compiled kernels, such as "AVX2"

bool cpu_has_avx512();  // AVX-512 F, VL, BW and DQ, enabled by the system

}  // namespace tapehead
