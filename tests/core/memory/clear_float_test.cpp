// Zeros wherever they are asked for, and nowhere else.
#include "core/memory/clear.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

namespace {

// Of a few numbers, of a few cache lines, and of more than 4 MB, which is written past the caches:
// from the beginning of a line on or not, and to its end or not.
TEST(Clear, reaches_every_number_and_no_other) {
  constexpr Index large = (Index{1} << 20) + 1000;
  std::vector<Scalar> memory(large + 64);
  for (const Index count : {Index{0}, Index{3}, Index{200}, large, large + 7}) {
    for (const Index first : {1, 5, 16}) {
      std::ranges::fill(memory, Scalar{1});
      clear(memory.data() + first, count);
      const auto begin = memory.begin() + first;
      const auto one = [](Scalar x) { return x == Scalar{1}; };
      EXPECT_TRUE(std::all_of(memory.begin(), begin, one)) << count << " from " << first;
      EXPECT_EQ(std::count(begin, begin + count, Scalar{0}), count) << "from " << first;
      EXPECT_TRUE(std::all_of(begin + count, memory.end(), one)) << count << " from " << first;
    }
  }
}

}  // namespace

}  // namespace tapehead
