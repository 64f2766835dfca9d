// OpenBLAS as tapehead sets it up: one thread for each caller, and kernels that fit the CPU.
#include "core/product/blas_kernels.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/kernel/cpu.hpp"

namespace tapehead {
namespace {

TEST(BlasKernels, one_thread_for_each_caller_in_the_pthread_build) {
  prepare_blas();
  EXPECT_EQ(openblas_get_parallel(), 1);
  EXPECT_EQ(openblas_get_num_threads(), 1);
}

TEST(BlasKernels, an_avx512_machine_gets_avx512_kernels) {
  if (!cpu_has_avx512()) {
    GTEST_SKIP() << "this CPU has no AVX-512";
  }
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) {
    GTEST_SKIP() << "OPENBLAS_CORETYPE is set: the user's choice stands";
  }
  constexpr std::array<std::string_view, 3> avx512{"SkylakeX", "Cooperlake", "Sapphirerapids"};
  const BlasInfo info = prepare_blas();
  EXPECT_NE(std::ranges::find(avx512, info.kernels), avx512.end()) << info.kernels;
}

TEST(BlasKernels, what_is_said_is_what_is_in_use) {
  const BlasInfo info = prepare_blas();
  EXPECT_EQ(info.kernels, openblas_get_corename());
}

TEST(BlasKernels, products_are_right_after_the_choice) {
  prepare_blas();
  // By hand: (1 2; 3 4) (5 6; 7 8) = (19 22; 43 50).
  const std::array<double, 4> a{1, 2, 3, 4};
  const std::array<double, 4> b{5, 6, 7, 8};
  std::array<double, 4> c{};
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a.data(), 2, b.data(), 2, 0,
              c.data(), 2);
  EXPECT_EQ(c, (std::array<double, 4>{19, 22, 43, 50}));
}

}  // namespace
}  // namespace tapehead
