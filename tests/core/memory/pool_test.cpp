// The memory pool reuses buffers, never shares one in use, and fills them with NaN under checks.
#include "core/memory/pool.hpp"
#include "tests/support/testing.hpp"

#include <thread>

namespace tapehead { namespace {

std::span<const std::byte> bytes_of(const Buffer& buffer, std::size_t count) {
  return {buffer.data(), count};
}

TEST(Pool, gives_memory_again_when_the_last_user_lets_go) {
  {
    const Buffer first(1'000'000);
  }
  const std::size_t held = pool_use().bytes_held;
  for (std::size_t i = 0; i < 100; ++i) {
    const Buffer again(1'000'000 - 997 * i);
  }
  EXPECT_EQ(pool_use().bytes_held, held);
}

TEST(Pool, keeps_buffers_in_use_apart) {
  const Buffer a(5000);
  const Buffer b(5000);
  std::memset(a.data(), 1, 5000);
  std::memset(b.data(), 2, 5000);
  EXPECT_THAT(bytes_of(a, 5000), Each(std::byte{1}));
  EXPECT_THAT(bytes_of(b, 5000), Each(std::byte{2}));
}

// Ragged batches make buffers of all sizes; the next round reuses them in any order.
TEST(Pool, takes_nothing_new_in_the_steady_state) {
  const auto one_round = [](bool backwards) {
    std::vector<Buffer> buffers;
    buffers.reserve(200);
    for (std::size_t i = 0; i < 200; ++i) {
      buffers.emplace_back(100 + 997 * (backwards ? 199 - i : i));
    }
  };
  one_round(false);
  const std::size_t held = pool_use().bytes_held;
  one_round(true);
  one_round(false);
  EXPECT_EQ(pool_use().bytes_held, held);
}

TEST(Pool, counts_the_peak_of_what_is_in_use) {
  const std::size_t before = pool_use().bytes_peak;
  const Buffer large(before + 1'000'000);
  EXPECT_GE(pool_use().bytes_peak, before + 1'000'000);
  EXPECT_GE(pool_use().bytes_held, before + 1'000'000);
}

TEST(Pool, aligns_buffers_for_vector_units) {
  for (const std::size_t bytes : {0U, 1U, 100U, 4096U, 100'000U}) {
    const Buffer buffer(bytes);
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
}

TEST(Pool, fills_buffers_with_nan_where_asked) {
  const Checks before = std::exchange(checks(), {.poison = true, .finite = false});
  for (int round = 0; round < 2; ++round) {
    const Buffer buffer(1234);
    EXPECT_THAT(bytes_of(buffer, 1234), Each(std::byte{0xff}));
    std::memset(buffer.data(), 0, 1234);
  }
  checks().poison = false;
  EXPECT_THAT(bytes_of(Buffer(1234), 1234), Not(Each(std::byte{0xff})));
  checks() = before;
}

TEST(Buffer, counts_its_users) {
  Buffer a(10);
  EXPECT_TRUE(a.unique());
  {
    Buffer b;
    b = a;
    EXPECT_EQ(b.data(), a.data());
    EXPECT_FALSE(a.unique());
    EXPECT_FALSE(b.unique());
  }
  EXPECT_TRUE(a.unique());
  const Buffer moved = std::move(a);
  EXPECT_TRUE(moved.unique());
  EXPECT_FALSE(Buffer().unique());
  EXPECT_FALSE(static_cast<bool>(Buffer()));
  EXPECT_EQ(Buffer().data(), nullptr);
}

TEST(Buffer, lets_go_of_what_it_held_when_assigned) {
  Buffer a(10);
  const Buffer b = a;
  a = Buffer(20);
  EXPECT_TRUE(b.unique());
  a = b;
  EXPECT_FALSE(b.unique());
  const Buffer& itself = a;
  a = itself;
  EXPECT_EQ(a.data(), b.data());
  EXPECT_FALSE(b.unique());
}

// Memory freed by another thread returns to the arena of the thread that took it, and to no other.
TEST(Pool, gives_memory_back_to_its_arena) {
  constexpr std::size_t bytes = 1'000'000;
  Buffer passed;
  const std::byte* taken = nullptr;
  std::thread([&] {
    use_pool_arena(7);
    passed = Buffer(bytes);
    taken = passed.data();
  }).join();
  passed = Buffer();
  EXPECT_NE(Buffer(bytes).data(), taken);
  std::thread([taken] {
    use_pool_arena(7 + pool_arenas);
    EXPECT_EQ(Buffer(bytes).data(), taken);
  }).join();
}

TEST(Pool, counts_all_arenas) {
  const PoolUse before = pool_use();
  Buffer buffer;
  std::thread([&buffer] {
    use_pool_arena(8);
    buffer = Buffer(1'000'000);
  }).join();
  EXPECT_GE(pool_use().bytes_used, before.bytes_used + 1'000'000);
  EXPECT_GE(pool_use().bytes_peak, before.bytes_peak + 1'000'000);
  EXPECT_GE(pool_use().bytes_held, before.bytes_held + 1'000'000);
}

// Run under TSan: threads pass buffers around and release them at once.
TEST(Pool, serves_several_threads) {
  const Buffer shared(100);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, shared] {
      for (std::size_t i = 0; i < 500; ++i) {
        const Buffer own(64 + i % 7 * 100);
        Buffer other;
        other = shared;
        EXPECT_FALSE(shared.unique());
        std::memset(own.data(), t, 64);
        EXPECT_THAT(bytes_of(own, 64), Each(static_cast<std::byte>(t)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(shared.unique());
}

}}  // namespace tapehead
