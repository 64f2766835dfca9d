// The heap below the pool: spans do not overlap, free neighbours are joined, and memory is reused
// for any size.
#include "core/memory/span_heap.hpp"

#include <new>

#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

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

TEST(SpanHeap, grows_by_what_its_last_free_span_lacks) {
  SpanHeap heap;
  Span* span = heap.take(100'000'000);
  heap.give_back(span);
  EXPECT_EQ(heap.take(110'000'000), span);
  EXPECT_LT(heap.bytes_held(), 120'000'000U);
}

TEST(SpanHeap, refuses_more_than_the_machine_has) {
  SpanHeap heap;
  EXPECT_THROW(heap.take(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_NE(heap.take(1000), nullptr) << "and goes on";
}

// A span and the byte that fills it.
struct Written {
  Span* span;
  std::size_t bytes;
  std::byte mark;

  bool holds() const {
    return std::ranges::all_of(std::span(span->data(), bytes),
                               [this](std::byte byte) { return byte == mark; });
  }
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
    EXPECT_TRUE(written.holds());
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
