// What this program is: its version, and the CPUs that it was built for; and what the CPU that it
// runs on has.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

std::string_view version();  // "1.2.3"

// The value of TAPEHEAD_KERNELS at the build: "native" for the CPU that it ran on, or a level:
// "sse4", "avx2", "avx512" for all x86-64 CPUs that have these, "neon" for all ARMv8 CPUs.
std::string_view kernel_level();

std::string_view vector_instructions();  // that the kernels are compiled to, such as "AVX2"

// Whether an x86-64 CPU has the AVX-512 instructions of x86-64-v4, and the system uses them.
bool cpu_has_avx512();

}  // namespace tapehead
