// The default threads of a rank: its share of the available cores.
#include "core/ranks/ranks.hpp"

#include <sched.h>

#include "core/kernel/workers.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

TEST(DefaultThreads, are_all_cores_of_a_process_that_works_alone) {
  EXPECT_EQ(default_thread_count(alone()).count, default_threads());
}

TEST(DefaultThreads, are_divided_among_ranks_with_the_same_cores) {
  const Index cores = default_threads();
  run_ranks(2, [&](Ranks& ranks) {
    EXPECT_EQ(default_thread_count(ranks).count, std::max<Index>(1, cores / 2));
  });
  run_ranks(cores + 1, [](Ranks& ranks) { EXPECT_EQ(default_thread_count(ranks).count, 1); });
}

// Binds the calling thread to one core, as a launcher does with ranks.
void keep_one_core() {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&allowed) > 1; ++core) {
    CPU_CLR(core, &allowed);
  }
  ::sched_setaffinity(0, sizeof allowed, &allowed);
}

TEST(DefaultThreads, are_for_the_cores_that_the_process_may_use) {
  ChildProcess bound([] {
    keep_one_core();
    return static_cast<int>(default_threads());
  });
  EXPECT_EQ(bound.wait(), 1);
}

TEST(DefaultThreads, are_not_divided_among_ranks_with_different_cores) {
  const Index cores = default_threads();
  run_ranks(2, [&](Ranks& ranks) {
    if (ranks.first()) {
      keep_one_core();
    }
    EXPECT_EQ(default_thread_count(ranks).count, ranks.first() ? 1 : cores);
  });
}

}}  // namespace tapehead
