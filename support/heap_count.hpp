// How often the process asks for memory: calls of malloc and its kin and of mmap, by all threads.
#pragma once

#include <cstdint>

namespace tapehead {

// Counts malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign and mmap (and with them
// operator new) from its construction on. A program that counts links heap_count.cpp, which defines
// those functions over the C library's.
class HeapCount {
 public:
  // A sanitizer has an allocator of its own, which nothing may come before: there, calls() is 0.
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
