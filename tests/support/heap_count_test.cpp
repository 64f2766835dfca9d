#include "support/heap_count.hpp"
#include "tests/support/testing.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <thread>

namespace tapehead { namespace {

class HeapCountTest : public Test {
 protected:
  void SetUp() override {
    if (!HeapCount::available) {
      GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
  }

  // Keeps the compiler from removing allocations whose memory is never read.
  static void* keep(void* memory) {
    kept_ = memory;
    return kept_;
  }

  static inline void* volatile kept_ = nullptr;
};

TEST_F(HeapCountTest, each_kind_of_call_counts_once) {
  const HeapCount count;
  EXPECT_EQ(count.calls(), 0);
  std::free(keep(std::malloc(10)));
  EXPECT_EQ(count.calls(), 1);
  std::free(keep(std::calloc(3, 10)));
  EXPECT_EQ(count.calls(), 2);
  std::free(keep(std::aligned_alloc(64, 128)));
  EXPECT_EQ(count.calls(), 3);
  std::free(keep(memalign(64, 128)));
  EXPECT_EQ(count.calls(), 4);
  void* aligned = nullptr;
  EXPECT_EQ(posix_memalign(&aligned, 64, 128), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(keep(aligned)) % 64, 0U);
  std::free(aligned);
  EXPECT_EQ(count.calls(), 5);
  void* pages = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  munmap(pages, 4096);
  EXPECT_EQ(count.calls(), 6);
  keep(std::make_unique<double>(1.0).get());
  EXPECT_EQ(count.calls(), 7);
  std::free(keep(std::malloc(64'000'000)));
  EXPECT_EQ(count.calls(), 8) << "the C library takes a large area directly from the system";
  void* memory = nullptr;
  EXPECT_EQ(posix_memalign(&memory, 48, 128), EINVAL) << "no power of two";
  EXPECT_EQ(memory, nullptr);
}

TEST_F(HeapCountTest, growing_counts_and_keeps_what_was_there) {
  auto* bytes = static_cast<char*>(keep(std::malloc(1)));
  bytes[0] = 'x';
  const HeapCount count;
  auto* more = static_cast<char*>(keep(std::realloc(bytes, 100'000)));
  EXPECT_EQ(count.calls(), 1);
  EXPECT_EQ(more[0], 'x');
  std::free(more);
}

TEST_F(HeapCountTest, other_threads_count) {
  const HeapCount count;
  std::thread([] {
    for (int i = 0; i < 100; ++i) {
      std::free(keep(std::malloc(10)));
    }
  }).join();
  EXPECT_GE(count.calls(), 100);
}

}}  // namespace tapehead
