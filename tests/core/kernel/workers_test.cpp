// Worker threads run every part once, run after run; errors are in order. Also run under TSan.
#include "core/kernel/workers.hpp"

#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "core/memory/pool.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Workers, runs_every_part_once) {
  for (const Index threads : {1, 2, 5}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    for (const Index count : {0, 1, 2, 3, 100}) {
      std::vector<int> runs(static_cast<std::size_t>(count), 0);
      workers.run(count, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      EXPECT_THAT(runs, Each(1)) << threads << " threads, " << count << " parts";
    }
  }
}

// What a part writes is visible to the caller and to the parts of the next run, on any thread.
TEST(Workers, hands_results_from_run_to_run) {
  Workers workers(3);
  std::vector<Index> values(7, 0);
  for (int round = 0; round < 2000; ++round) {
    workers.run(7, [&](Index i) {
      const auto from = static_cast<std::size_t>((i + round) % 7);
      values[from] += i;
    });
  }
  Index sum = 0;
  for (const Index value : values) {
    sum += value;
  }
  EXPECT_EQ(sum, 2000 * (0 + 1 + 2 + 3 + 4 + 5 + 6));
}

// All threads take a first buffer, then a second: within a thread's own arena they are adjacent.
TEST(Workers, take_memory_from_arenas_of_their_own) {
  constexpr std::size_t bytes = 1'000'000;
  const std::thread::id caller = std::this_thread::get_id();
  Workers workers(3);
  std::barrier together(3);
  workers.run(3, [&](Index) {
    const Buffer first(bytes);
    together.arrive_and_wait();
    const Buffer second(bytes);
    if (std::this_thread::get_id() != caller) {  // other tests have fragmented the caller's arena
      EXPECT_LT(second.data() - first.data(), std::ptrdiff_t{2 * bytes});
      EXPECT_GT(second.data() - first.data(), 0);
    }
    together.arrive_and_wait();
  });
}

TEST(Workers, uses_its_threads) {
  Workers workers(3);
  std::atomic<int> arrived = 0;
  std::vector<std::thread::id> ids(3);
  workers.run(3, [&](Index i) {
    ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
    ++arrived;
    while (arrived < 3) {  // needs three threads: each part waits for the rest
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 3U);
}

TEST(Workers, runs_in_the_calling_thread_where_it_is_alone) {
  Workers workers(1);
  workers.run(4, [caller = std::this_thread::get_id()](Index) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(Workers, throws_the_error_of_the_first_part_that_fails) {
  Workers workers(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> runs(20, 0);
    const auto job = [&](Index i) {
      ++runs[static_cast<std::size_t>(i)];
      if (i == 3 || i == 4 || i == 19) {
        throw std::runtime_error("part " + std::to_string(i));
      }
    };
    EXPECT_THAT([&] { workers.run(20, job); }, ThrowsMessage<std::runtime_error>("part 3"));
    EXPECT_THAT(runs, Each(1)) << "a failed part stops no other";
  }
}

TEST(Workers, works_on_after_an_error) {
  Workers workers(2);
  EXPECT_THROW(workers.run(2, [](Index) { throw std::runtime_error("once"); }), std::runtime_error);
  std::atomic<int> runs = 0;
  workers.run(10, [&](Index) { ++runs; });
  EXPECT_EQ(runs, 10);
}

TEST(Workers, come_and_go_without_work) {
  for (int round = 0; round < 50; ++round) {
    const Workers workers(4);
    EXPECT_EQ(workers.threads(), 4);
  }
}

TEST(Workers, take_denormal_numbers_as_zero) {
  Workers workers(2);
  std::atomic<int> arrived = 0;
  workers.run(2, [&](Index) {
    volatile float smallest_normal = 1.17549435e-38F;  // FLT_MIN
    const float denormal = smallest_normal / 4;
    EXPECT_EQ(denormal, 0);
    ++arrived;
    while (arrived < 2) {
      std::this_thread::yield();
    }
  });
}

// 100 threads need more stack than earlier threads can have left in the cache.
TEST(Workers, that_cannot_all_start_are_an_error) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses";
#endif
  ChildProcess child([] {
    const rlimit few{.rlim_cur = rlim_t{1} << 28, .rlim_max = rlim_t{1} << 28};
    ::setrlimit(RLIMIT_AS, &few);
    const std::string said = io_error_of([] { Workers(100); });
    return said.starts_with("cannot start thread ") &&
                   said.ends_with(
                       " of 100: Resource temporarily unavailable; use fewer threads "
                       "(--threads)")
               ? 0
               : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

}}  // namespace tapehead
