// A library to load before others: one large allocation fails. TAPEHEAD_FAILING says which, from 0
// on, of those over 64 KiB; when it fails, the file TAPEHEAD_FAILED is made.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

extern "C" {

// The functions of the C library (glibc) behind those that are replaced here.
void* libc_malloc(std::size_t size) asm("__libc_malloc");
void* libc_calloc(std::size_t count, std::size_t size) asm("__libc_calloc");
void* libc_realloc(void* memory, std::size_t size) asm("__libc_realloc");
void* libc_memalign(std::size_t alignment, std::size_t size) asm("__libc_memalign");
}

namespace {

constexpr std::size_t large = 65536;
std::atomic<long> count = 0;

bool fails(std::size_t size) {
  if (size <= large) {
    return false;
  }
  const char* const which = std::getenv("TAPEHEAD_FAILING");
  if (which == nullptr || count++ != std::atol(which)) {
    return false;
  }
  ::close(::open(std::getenv("TAPEHEAD_FAILED"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails(size) ? nullptr : libc_malloc(size); }

void* calloc(std::size_t number, std::size_t size) {
  return fails(number * size) ? nullptr : libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) {
  return fails(size) ? nullptr : libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(size) ? nullptr : libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  void* const found = aligned_alloc(alignment, size);
  *memory = found == nullptr ? *memory : found;
  return found == nullptr ? ENOMEM : 0;
}
}
