// Parallel work on many lines processes each line exactly once.
#include "datasets/tokenizers/parallel_lines.hpp"
#include "tests/support/testing.hpp"

#include <atomic>

namespace tapehead { namespace {

TEST(Stretches, hold_every_line_once) {
  for (const std::size_t lines : {0U, 1U, 999U, 1000U, 1001U, 5500U}) {
    SCOPED_TRACE(lines);
    std::vector<std::atomic<int>> visits(lines);
    for_line_ranges(static_cast<Index>(lines), [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        ++visits[static_cast<std::size_t>(i)];
      }
    });
    for (const std::atomic<int>& count : visits) {
      EXPECT_EQ(count, 1);
    }
  }
}

}}  // namespace tapehead
