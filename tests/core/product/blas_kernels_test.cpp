// OpenBLAS as tapehead sets it up: a single thread per caller, and kernels for the CPU.
#include "core/product/blas_kernels.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/version.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(BlasKernels, one_thread_for_each_caller_in_the_pthread_build) {
  EXPECT_EQ(prepare_blas().kernels, openblas_get_corename());
  EXPECT_EQ(openblas_get_parallel(), 1);
  EXPECT_EQ(openblas_get_num_threads(), 1);
  // By hand: (1 2; 3 4) (5 6; 7 8) = (19 22; 43 50).
  const std::array<double, 4> a{1, 2, 3, 4};
  const std::array<double, 4> b{5, 6, 7, 8};
  std::array<double, 4> c{};
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a.data(), 2, b.data(), 2, 0,
              c.data(), 2);
  EXPECT_THAT(c, ElementsAre(19, 22, 43, 50));
  const auto of_process = std::filesystem::directory_iterator("/proc/self/task");
  EXPECT_EQ(std::distance(begin(of_process), end(of_process)), 1) << "nothing else starts threads";
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

// Size of the address space in pages. Allocates nothing on the heap, which would change the result.
std::size_t addresses() {
  std::array<char, 128> text{};
  const int file = ::open("/proc/self/statm", O_RDONLY);
  EXPECT_GT(::read(file, text.data(), text.size() - 1), 0);
  ::close(file);
  return std::strtoul(text.data(), nullptr, 10);
}

// OpenBLAS allocates its buffers with a function that its headers do not declare.
TEST(BlasKernels, a_buffer_for_each_thread_is_reserved) {
  prepare_blas(3);
  const std::size_t before = addresses();
  using Take = void* (*)(int);
  using GiveBack = void (*)(void*);
  const auto take = reinterpret_cast<Take>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto give_back = reinterpret_cast<GiveBack>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
  ASSERT_TRUE(take != nullptr && give_back != nullptr);
  const std::array<void*, 3> buffers{take(0), take(0), take(0)};
  EXPECT_EQ(addresses(), before);
  void* const another = take(0);
  const std::size_t of_one =
      (addresses() - before) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_GT(of_one, 0U);
  EXPECT_LE(of_one, std::size_t{128} << 20) << "what prepare_blas looks for";
  give_back(another);
  std::ranges::for_each(buffers, give_back);
}

}}  // namespace tapehead
