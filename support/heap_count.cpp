#include "support/heap_count.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace tapehead {

namespace {

// Initialised before any constructor runs, since the first call comes earlier.
constinit std::atomic<std::int64_t> total{0};

[[maybe_unused]] void count_call() { total.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

HeapCount::HeapCount() : before_(total.load()) {}

std::int64_t HeapCount::calls() const { return total.load() - before_; }

}  // namespace tapehead

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The names of malloc and similar functions inside the GNU C library. dlsym would find them too,
// but allocates memory itself.
extern "C" {
void* library_malloc(std::size_t size) noexcept __asm__("__libc_malloc");
void* library_calloc(std::size_t count, std::size_t size) noexcept __asm__("__libc_calloc");
void* library_realloc(void* memory, std::size_t size) noexcept __asm__("__libc_realloc");
void* library_memalign(std::size_t alignment, std::size_t size) noexcept __asm__("__libc_memalign");

void* malloc(std::size_t size) noexcept {
  tapehead::count_call();
  return library_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  tapehead::count_call();
  return library_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  tapehead::count_call();
  return library_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  tapehead::count_call();
  return library_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  tapehead::count_call();
  return library_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  tapehead::count_call();
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void* const found = library_memalign(alignment, size);
  if (found == nullptr) {
    return ENOMEM;
  }
  *memory = found;
  return 0;
}

// The library's own malloc does not call this function, so nothing is counted twice.
void* mmap(void* address, std::size_t size, int protection, int flags, int file,
           off_t offset) noexcept {
  tapehead::count_call();
  const long result = syscall(SYS_mmap, address, size, protection, flags, file, offset);
  return reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr): MAP_FAILED is -1
}
}

#endif
