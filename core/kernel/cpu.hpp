// What the CPU can do, how it treats numbers and waiting threads, and how many threads a process
// should have.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Whether an x86-64 CPU has the AVX-512 instructions of x86-64-v4, and the system uses them.
bool cpu_has_avx512();

// Makes the calling thread treat denormal numbers as zero: they are slow, and no result needs them.
void flush_denormals();

// Tells the core that the calling thread polls.
void pause_polling();

struct ThreadCount {
  Index count;       // at least 1
  std::string from;  // what decides it, such as "OMP_NUM_THREADS"
};

// The cores on which this process may run or, if that is fewer, the CPU quota of its control group
// (that of a container, for example) rounded up to whole cores. A group's quota holds for the
// groups in it. `root` is that of /proc and /sys.
ThreadCount usable_cores(const std::filesystem::path& root = "/");

// The usable cores divided by the number of `processes` that use the same ones or, if that is
// fewer, OMP_NUM_THREADS, if this is a whole number from 1 on.
ThreadCount default_thread_count(Index processes = 1, const std::filesystem::path& root = "/");

}  // namespace tapehead
