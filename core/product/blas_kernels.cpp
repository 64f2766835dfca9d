#include "core/product/blas_kernels.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/errors.hpp"
#include "core/kernel/cpu.hpp"

namespace tapehead {

namespace {

// As Debian names it in paths.
#if defined(__x86_64__)
constexpr std::string_view debian_architecture = "x86_64-linux-gnu";
#else
constexpr std::string_view debian_architecture = "aarch64-linux-gnu";
#endif

bool is_avx512_core(const std::string& kernels) {
  return kernels == "SkylakeX" || kernels == "Cooperlake" || kernels == "Sapphirerapids";
}

// OpenBLAS chooses its kernels when it is loaded. These two functions undo that choice, and make it
// again with the current environment. Every build with several kernel sets exports them, but they
// are not documented.
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

}  // namespace

BlasInfo prepare_blas() {
  if (openblas_get_parallel() != 1) {
    throw IoError(fmt::format(
        "libopenblas.so.0 is not the pthread build, which tapehead needs for the same results at "
        "any thread count.\n"
        "Install it and choose it: apt-get install libopenblas0-pthread && update-alternatives "
        "--set libopenblas.so.0-{0} /usr/lib/{0}/openblas-pthread/libopenblas.so.0",
        debian_architecture));
  }
  openblas_set_num_threads(1);
  BlasInfo info{.version = openblas_get_config(), .kernels = openblas_get_corename()};
  if (cpu_has_avx512() && !is_avx512_core(info.kernels) &&
      std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    info.switched = choose_again("SkylakeX");
    info.kernels = openblas_get_corename();
  }
  if (openblas_get_num_threads() != 1) {
    throw IoError(fmt::format("OpenBLAS uses {} threads for each caller, but tapehead needs 1",
                              openblas_get_num_threads()));
  }
  return info;
}

}  // namespace tapehead
