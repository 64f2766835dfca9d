// The prefetcher fetches each cache line of the rows once, and no other, spread over a product.
#include "core/memory/prefetch.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/product/broadcast_product.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Rows that start at any place in a line, rows that start with a line, and no rows at all.
TEST(Prefetcher, walks_over_each_line_once) {
  const std::vector<Scalar> memory(4096);
  const Scalar* aligned = line_of(memory.data()) + cache_line;
  const StoredRows anywhere{.data = aligned + 5, .stride = 50, .rows = 3, .columns = 28};
  const StoredRows whole{.data = aligned + 1024, .stride = 64, .rows = 5, .columns = 32};
  for (const auto& [first, second] : {std::pair(anywhere, whole), std::pair(StoredRows{}, anywhere),
                                      std::pair(whole, StoredRows{})}) {
    std::set<const Scalar*> expected;
    for (const StoredRows& rows : {first, second}) {
      for (Index i = 0; i < rows.rows * rows.columns; ++i) {
        expected.insert(line_of(rows.data + i / rows.columns * rows.stride + i % rows.columns));
      }
    }
    Prefetcher ahead({first, StoredRows{}, second}, 1);
    std::vector<const Scalar*> walked;
    while (const Scalar* line = ahead.next()) {
      walked.push_back(line);
    }
    EXPECT_THAT(walked, UnorderedElementsAreArray(expected));
  }
}

TEST(Prefetcher, is_done_after_so_many_calls_and_not_at_once) {
  const std::vector<Scalar> memory(4096);
  const StoredRows rows{.data = memory.data() + 3, .stride = 70, .rows = 20, .columns = 48};
  for (const Index calls : {1, 2, 7, 60}) {
    Prefetcher ahead({rows, rows.part(3, 9)}, calls);
    for (Index i = 0; i < calls; ++i) {
      if (i <= calls / 2) {
        EXPECT_NE(Prefetcher(ahead).next(), nullptr) << "after " << i << " of " << calls;
      }
      ahead.some();
    }
    EXPECT_EQ(ahead.next(), nullptr) << calls;
  }
}

// Each call fetches a line, so the remaining lines count the calls.
TEST(Prefetcher, is_called_by_products_as_often_as_they_say) {
  constexpr Index lines = 4096;
  constexpr Index most = 16 * lane_count;
  const std::vector<Scalar> fetched((lines + 1) * cache_line);
  const Scalar* aligned = line_of(fetched.data()) + cache_line;
  const std::vector<Scalar> numbers(static_cast<std::size_t>(100 * most));
  std::vector<Scalar> out(static_cast<std::size_t>(100 * most));
  for (const Index rows : {1, 6, 13, 96}) {
    for (const Index depth : {1, 16, 33, 100}) {
      for (const Index vectors : {1, 2, 3, 4, 7, 16}) {
        for (const Broadcast a :
             {Broadcast{numbers.data(), 1, most}, Broadcast{numbers.data(), most, 1}}) {
          Prefetcher ahead({StoredRows{aligned, lines * cache_line, 1, lines * cache_line}}, lines);
          broadcast_product(rows, depth, vectors * lane_count, a, numbers.data(), most, {},
                            out.data(), most, &ahead);
          Index calls = lines;
          while (ahead.next() != nullptr) {
            --calls;
          }
          EXPECT_EQ(calls, prefetches(rows, depth, vectors * lane_count, a))
              << rows << " rows, " << depth << " deep, " << vectors << " vectors";
        }
      }
    }
  }
}

}}  // namespace tapehead
