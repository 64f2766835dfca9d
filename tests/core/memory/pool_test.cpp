// The memory pool reuses buffers, never shares one in use, and fills them with NaN under checks. In
// the heap below it spans do not overlap, free neighbours are joined, and memory is reused for any
// size.
#include "core/memory/pool.hpp"

#include <new>
#include <thread>

#include "core/memory/span_heap.hpp"
#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::span<const std::byte> bytes_of(const Buffer& buffer, std::size_t count) {
  return {buffer.data(), count};
}

TEST(Pool, gives_memory_again_when_the_last_user_lets_go) {
  Buffer(1'000'000);
  const std::size_t held = pool_use().bytes_held;
  for (std::size_t i = 0; i < 100; ++i) {
    const Buffer again(1'000'000 - 997 * i);
  }
  EXPECT_EQ(pool_use().bytes_held, held);
}

// Ragged batches make buffers of all sizes; the next round reuses them in any order.
TEST(Pool, takes_nothing_new_in_the_steady_state) {
  const auto one_round = [](bool backwards) {
    std::vector<Buffer> buffers;
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

TEST(Pool, counts_what_is_in_use_and_its_peak_in_all_arenas) {
  const PoolUse before = pool_use();
  Buffer buffer;
  std::thread([&buffer] {
    use_pool_arena(8);
    buffer = Buffer(1'000'000);
  }).join();
  EXPECT_GE(pool_use().bytes_used, before.bytes_used + 1'000'000);
  EXPECT_GE(pool_use().bytes_peak, before.bytes_peak + 1'000'000);
  EXPECT_GE(pool_use().bytes_held, before.bytes_held + 1'000'000);
  const std::size_t peak = pool_use().bytes_peak;
  const Buffer large(peak + 1'000'000);
  EXPECT_GE(pool_use().bytes_peak, peak + 1'000'000);
  EXPECT_GE(pool_use().bytes_held, peak + 1'000'000);
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
    EXPECT_FALSE(a.unique() || b.unique());
  }
  EXPECT_TRUE(a.unique());
  const Buffer moved = std::move(a);
  EXPECT_TRUE(moved.unique());
  EXPECT_FALSE(Buffer().unique());
  EXPECT_FALSE(static_cast<bool>(Buffer()));
  EXPECT_EQ(Buffer().data(), nullptr);
  // Lets go of what it held when assigned, also to itself.
  Buffer c = moved;
  c = Buffer(20);
  EXPECT_TRUE(moved.unique());
  c = moved;
  const Buffer& itself = c;
  c = itself;
  EXPECT_EQ(c.data(), moved.data());
  EXPECT_FALSE(moved.unique());
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

// Run under TSan: threads pass buffers around and release them at once.
TEST(Pool, serves_several_threads) {
  const Buffer shared(100);
  std::vector<std::thread> threads;
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

TEST(SpanHeap, hands_out_aligned_memory_of_at_least_the_size_asked_for) {
  SpanHeap heap;
  for (const std::size_t bytes : {0U, 1U, 64U, 1000U, 300'000U, 5'000'000U}) {
    Span* span = heap.take(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(span->data()) % 64, 0U);
    EXPECT_GE(span->bytes, sizeof(Span) + bytes);
    EXPECT_EQ(span->users.load(), 1U);
    std::memset(span->data(), 1, bytes);
  }
}

// Whatever the order in which three neighbours are freed, they become one free span.
TEST(SpanHeap, joins_neighbours_in_whatever_order_they_are_freed) {
  constexpr std::size_t bytes = 400'000;
  std::vector<std::size_t> order{0, 1, 2};
  do {
    SpanHeap heap;
    const std::vector<Span*> spans{heap.take(bytes), heap.take(bytes), heap.take(bytes)};
    const std::size_t held = heap.bytes_held();
    for (const std::size_t i : order) {
      heap.give_back(spans[i]);
    }
    EXPECT_EQ(heap.take(3 * bytes), spans[0]);
    EXPECT_EQ(heap.bytes_held(), held);
  } while (std::ranges::next_permutation(order).found);
}

TEST(SpanHeap, does_not_join_what_is_in_use) {
  SpanHeap heap;
  Span* low = heap.take(1000);
  Span* used = heap.take(1000);
  Span* high = heap.take(1000);
  std::memset(used->data(), 7, 1000);
  heap.give_back(low);
  heap.give_back(high);
  std::memset(heap.take(2500)->data(), 1, 2500);
  EXPECT_THAT((std::span<const std::byte>(used->data(), 1000)), Each(std::byte{7}));
}

TEST(SpanHeap, takes_the_snuggest_of_its_free_spans) {
  SpanHeap heap;
  Span* large = heap.take(100'000);
  heap.take(10);
  Span* small = heap.take(5000);
  heap.take(10);
  heap.give_back(small);
  heap.give_back(large);
  EXPECT_EQ(heap.take(4990), small);
  EXPECT_EQ(heap.take(90'000), large);
}

TEST(SpanHeap, grows_by_what_its_last_free_span_lacks_up_to_what_the_machine_has) {
  SpanHeap heap;
  Span* span = heap.take(100'000'000);
  heap.give_back(span);
  EXPECT_EQ(heap.take(110'000'000), span);
  EXPECT_LT(heap.bytes_held(), 120'000'000U);
  EXPECT_THROW(heap.take(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_NE(heap.take(1000), nullptr) << "and goes on";
}

// A span and the byte that fills it.
struct Written {
  Span* span;
  std::size_t bytes;
  std::byte mark;
};

// Rounds like training steps with ragged batches: new buffer sizes each round, some freed early,
// the rest in reverse order. The memory held settles near one round's need, and no buffer in use is
// overwritten.
TEST(SpanHeap, serves_ragged_rounds_from_the_same_memory) {
  constexpr std::uint64_t buffers = 60;
  const Draws draws(1, "span_heap_test", 0);
  SpanHeap heap;
  std::size_t needed = 0;
  std::size_t most_needed = 0;
  const auto let_go = [&](const Written& written) {
    const std::span content(written.span->data(), written.bytes);
    EXPECT_EQ(std::ranges::count(content, written.mark), std::ssize(content));
    needed -= written.span->bytes;
    heap.give_back(written.span);
  };
  for (std::uint64_t round = 0; round < 40; ++round) {
    std::vector<Written> all;
    for (std::uint64_t i = 0; i < buffers; ++i) {
      const auto bytes =
          static_cast<std::size_t>(1000 + draw_below(draws, round * buffers + i, 600'000));
      all.push_back({heap.take(bytes), bytes, static_cast<std::byte>(i)});
      std::memset(all.back().span->data(), static_cast<int>(i), bytes);
      needed += all.back().span->bytes;
      most_needed = std::max(most_needed, needed);
      if (i % 3 == 2) {
        let_go(all[all.size() - 2]);
        all.erase(all.end() - 2);
      }
    }
    for (; !all.empty(); all.pop_back()) {
      let_go(all.back());
    }
  }
  EXPECT_LT(heap.bytes_held(), most_needed + most_needed / 4);
}

}}  // namespace tapehead
