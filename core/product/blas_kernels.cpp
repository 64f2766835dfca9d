#include "core/product/blas_kernels.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include "core/version.hpp"

namespace tapehead {

namespace {

// The name of the architecture in Debian paths, and the size of an OpenBLAS buffer (0.3.21).
#if defined(__x86_64__)
constexpr std::string_view debian_architecture = "x86_64-linux-gnu";
constexpr std::size_t buffer_bytes = std::size_t{128} << 20;
#else
constexpr std::string_view debian_architecture = "aarch64-linux-gnu";
constexpr std::size_t buffer_bytes = std::size_t{32} << 20;
#endif

// OpenBLAS chooses its kernels when it is loaded. These two functions undo that choice, and make it
// again with the current environment. Every build with several kernel sets exports them.
bool choose_again(const char* kernels) {
  using Function = void (*)();
  const auto quit = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit"));
  const auto init = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init"));
  if (quit == nullptr || init == nullptr) {
    return false;
  }
  setenv("OPENBLAS_CORETYPE", kernels, 1);
  quit();
  init();
  unsetenv("OPENBLAS_CORETYPE");
  return true;
}

// Each running product uses one OpenBLAS buffer. OpenBLAS maps a buffer when it is first needed
// and, if this fails, retries for ever (driver/others/memory.c, blas_memory_alloc), so the mapping
// is tested here first. Without the two undocumented functions of OpenBLAS nothing is reserved.
void reserve_buffers(Index threads) {
  const auto take = reinterpret_cast<void* (*)(int)>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto give_back = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
  std::vector<void*> buffers;
  while (take != nullptr && give_back != nullptr && std::ssize(buffers) < threads) {
    void* const memory =
        ::mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw IoError(
          "out of memory: OpenBLAS needs {} MiB of addresses for each thread, but there are enough "
          "for only {} of {} threads; use fewer threads (--threads), or raise the limit (ulimit "
          "-v)",
          buffer_bytes >> 20, buffers.size(), threads);
    }
    ::munmap(memory, buffer_bytes);
    buffers.push_back(take(0));
    if (buffers.back() == nullptr) {
      throw IoError(
          "OpenBLAS has buffers for {} threads at most, not for {}; use fewer threads (--threads)",
          buffers.size() - 1, threads);
    }
  }
  std::ranges::for_each(buffers, give_back);
}

}  // namespace

BlasInfo prepare_blas(Index threads) {
  if (openblas_get_parallel() != 1) {
    throw IoError(
        "libopenblas.so.0 is not the pthread build, which tapehead needs for the same results at "
        "any thread count.\n"
        "Install it and choose it: apt-get install libopenblas0-pthread && update-alternatives "
        "--set libopenblas.so.0-{0} /usr/lib/{0}/openblas-pthread/libopenblas.so.0",
        debian_architecture);
  }
  openblas_set_num_threads(1);
  BlasInfo info{.version = openblas_get_config(), .kernels = openblas_get_corename()};
  constexpr std::array<std::string_view, 3> best{"SkylakeX", "Cooperlake", "Sapphirerapids"};
  if (cpu_has_avx512() && std::ranges::find(best, info.kernels) == best.end() &&
      std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    info.switched = choose_again("SkylakeX");
    info.kernels = openblas_get_corename();
  }
  if (openblas_get_num_threads() != 1) {
    throw IoError("OpenBLAS uses {} threads for each caller, but tapehead needs 1",
                  openblas_get_num_threads());
  }
  reserve_buffers(threads);
  return info;
}

}  // namespace tapehead

// Replaces the function that tells OpenBLAS how many threads to start when it is loaded: here only
// the caller. Other threads would never get work, and each would hold a buffer.
extern "C" int openblas_num_threads_env() { return 1; }
