// Counts how often the process allocates memory: calls of malloc, similar functions and mmap, by
// all threads.
#pragma once

#include <cstdint>

namespace tapehead {

// Counts calls of malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign and mmap (and
// with them operator new) from its construction on. A program that uses it must link
// heap_count.cpp, which redefines these functions of the C library.
class HeapCount {
 public:
  // A sanitizer has its own allocator, which must not be replaced: calls() is then 0.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool available = false;
#else
  static constexpr bool available = true;
#endif

  HeapCount();
  std::int64_t calls() const;

 private:
  std::int64_t before_;
};

}  // namespace tapehead
