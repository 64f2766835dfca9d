// Worker threads run every part once, run after run; errors are in order. Their default number
// comes from cores, control group quotas and OMP_NUM_THREADS. Also run under TSan.
#include "core/kernel/workers.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "core/memory/pool.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"

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
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(Workers(4).threads(), 4) << "come and go without work";
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
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), Index{0}),
            2000 * (1 + 2 + 3 + 4 + 5 + 6));
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

TEST(Workers, uses_its_threads_which_take_denormal_numbers_as_zero) {
  Workers workers(3);
  std::atomic<int> arrived = 0;
  std::vector<std::thread::id> ids(3);
  workers.run(3, [&](Index i) {
    ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
    volatile float smallest_normal = 1.17549435e-38F;  // FLT_MIN
    const float denormal = smallest_normal / 4;
    EXPECT_EQ(denormal, 0);
    ++arrived;
    while (arrived < 3) {  // needs three threads: each part waits for the rest
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 3U);
  Workers(1).run(4, [caller = std::this_thread::get_id()](Index) {
    EXPECT_EQ(std::this_thread::get_id(), caller) << "alone";
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

namespace fs = std::filesystem;

using GroupFiles = std::vector<std::pair<std::string, std::string>>;  // path, content

// The content of /proc/self/cgroup and the files of the control groups.
struct Groups {
  std::string name;
  std::string own;
  GroupFiles files;
  Index cores;  // allowed by the quota; 0: no quota
};

// File formats: the kernel's cgroup-v2.rst (cpu.max) and sched-bwc.rst (cpu.cfs_quota_us,
// cpu.cfs_period_us); cgroups(7) for the lines.
GroupFiles quota_of(const std::string& group, int quota) {
  return {{group + "/cpu.cfs_quota_us", std::to_string(quota) + "\n"},
          {group + "/cpu.cfs_period_us", "100000\n"}};
}

// quota / period, computed by hand.
const std::vector<Groups> all_groups{
    {"nothing", "", {}, 0},
    {"v2_without_limit", "0::/a\n", {{"a/cpu.max", "max 100000\n"}}, 0},
    {"v2_whole", "0::/\n", {{"cpu.max", "200000 100000\n"}}, 2},
    {"v2_rounded_up", "0::/\n", {{"cpu.max", "150000 100000\n"}}, 2},
    {"v2_less_than_a_core", "0::/\n", {{"cpu.max", "5000 100000\n"}}, 1},
    {"v2_other_period", "0::/\n", {{"cpu.max", "30000 10000\n"}}, 3},
    {"v2_of_a_group_around_it",
     "0::/a/b\n",
     {{"a/cpu.max", "200000 100000\n"}, {"a/b/cpu.max", "400000 100000\n"}},
     2},
    {"v2_of_another_group", "0::/a\n", {{"b/cpu.max", "100000 100000\n"}}, 0},
    {"v2_mounted_in_a_container", "0::/docker/1f\n", {{"cpu.max", "100000 100000\n"}}, 1},
    {"v2_damaged", "0::/\n", {{"cpu.max", "much\n"}}, 0},
    {"v1_without_limit", "4:cpu,cpuacct:/a\n", quota_of("cpu,cpuacct/a", -1), 0},
    {"v1", "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n", quota_of("cpu,cpuacct/a", 250000), 3},
    {"v1_mounted_in_a_container", "4:cpu:/docker/1f\n", quota_of("cpu", 200000), 2},
    {"v1_of_cpusets_alone", "4:cpuset:/a\n", quota_of("cpuset/a", 100000), 0},
};

class ThreadCounts : public Test {
 protected:
  void SetUp() override { ::unsetenv("OMP_NUM_THREADS"); }
  void TearDown() override {
    ::unsetenv("OMP_NUM_THREADS");
    if (!before_.empty()) {
      ::setenv("OMP_NUM_THREADS", before_.c_str(), 1);
    }
  }

  void write(const Groups& groups) const {
    write_file(here / "proc/self/cgroup", groups.own);
    for (const auto& [file, text] : groups.files) {
      write_file(here / "sys/fs/cgroup" / file, text);
    }
  }
  static void write_file(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  TemporaryDirectory here;
  Index cores = usable_cores(here / "none").count;  // from the affinity alone

 private:
  std::string before_ =
      std::getenv("OMP_NUM_THREADS") == nullptr ? "" : std::getenv("OMP_NUM_THREADS");
};

TEST_F(ThreadCounts, are_the_cores_of_the_affinity) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const ThreadCount threads = default_thread_count(1, usable_cores(here / "none"));
  EXPECT_EQ(threads.count, CPU_COUNT(&allowed));
  EXPECT_EQ(threads.from, "cores of the process");
}

TEST_F(ThreadCounts, are_no_more_than_the_quota_of_the_control_group) {
  for (const Groups& groups : all_groups) {
    SCOPED_TRACE(groups.name);
    fs::remove_all(here / "proc");
    fs::remove_all(here / "sys");
    write(groups);
    const ThreadCount threads = usable_cores(here.path());
    const bool limits = groups.cores > 0 && groups.cores < cores;
    EXPECT_EQ(threads.count, limits ? groups.cores : cores);
    EXPECT_EQ(threads.from, limits ? "CPU quota of the control group" : "cores of the process");
  }
}

TEST_F(ThreadCounts, are_no_more_than_omp_num_threads_if_that_is_a_number) {
  write({"", "0::/\n", {{"cpu.max", "3000000 1000000\n"}}, 3});
  const Index most = std::min<Index>(3, cores);
  for (const std::string text :
       {"1", "1000", "0", "-1", "", "1,2", "1x", " 1", "99999999999999999999"}) {
    SCOPED_TRACE('"' + text + '"');
    ::setenv("OMP_NUM_THREADS", text.c_str(), 1);
    const ThreadCount threads = default_thread_count(1, usable_cores(here.path()));
    EXPECT_EQ(threads.count, text == "1" ? 1 : most);
    EXPECT_EQ(threads.from == "OMP_NUM_THREADS", threads.count < most);
    EXPECT_EQ(usable_cores(here.path()).count, most) << "it is about threads, not about cores";
  }
}

TEST_F(ThreadCounts, are_divided_among_processes_but_not_below_one) {
  const ThreadCount all = usable_cores(here / "none");
  EXPECT_EQ(default_thread_count(2, all).count, std::max<Index>(1, cores / 2));
  EXPECT_EQ(default_thread_count(cores + 1, all).count, 1);
}

}}  // namespace tapehead
