// What the CPU can do, and how it treats numbers and waiting threads.
#pragma once

namespace tapehead {

// Whether an x86-64 CPU has the AVX-512 instructions of x86-64-v4, and the system uses them.
bool cpu_has_avx512();

// Makes the calling thread treat denormal numbers as zero: they are slow, and no result needs them.
void flush_denormals();

// Tells the core that the calling thread polls.
void pause_polling();

}  // namespace tapehead
