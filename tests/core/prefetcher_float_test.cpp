// What is fetched ahead: each line of the rows once, and nothing else.
#include "core/prefetcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

namespace {

void add_lines(const StoredRows& rows, std::set<const Scalar*>& lines) {
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      lines.insert(line_of(rows.data + i * rows.stride + j));
    }
  }
}

// Rows that begin anywhere in a line and those that begin with one; one of no rows at all.
TEST(Prefetcher, WalksOverEachLineOnce) {
  const std::vector<Scalar> memory(4096);
  const Scalar* aligned = line_of(memory.data()) + cache_line;
  const StoredRows anywhere{.data = aligned + 5, .stride = 50, .rows = 3, .columns = 28};
  const StoredRows whole{.data = aligned + 1024, .stride = 64, .rows = 5, .columns = 32};
  for (const auto& [first, second] : {std::pair(anywhere, whole), std::pair(StoredRows{}, anywhere),
                                      std::pair(whole, StoredRows{})}) {
    std::set<const Scalar*> expected;
    add_lines(first, expected);
    add_lines(second, expected);
    Prefetcher ahead({first, StoredRows{}, second}, 1);
    std::vector<const Scalar*> walked;
    while (const Scalar* line = ahead.next()) {
      walked.push_back(line);
    }
    EXPECT_THAT(walked, ::testing::UnorderedElementsAreArray(expected));
  }
}

TEST(Prefetcher, IsDoneAfterSoManyCallsAndNotAtOnce) {
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

}  // namespace

}  // namespace tapehead
