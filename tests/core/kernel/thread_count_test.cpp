// The default number of threads: from cores, control group quotas and OMP_NUM_THREADS.
#include "core/kernel/workers.hpp"

#include <sched.h>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// The content of /proc/self/cgroup and the files of the control groups.
struct Groups {
  std::string name;
  std::string own;
  std::vector<std::pair<std::string, std::string>> files;
  Index cores;  // allowed by the quota; 0: no quota
};

// quota / period, computed by hand. File formats: the kernel's cgroup-v2.rst (cpu.max) and
// sched-bwc.rst (cpu.cfs_quota_us, cpu.cfs_period_us); cgroups(7) for the lines.
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
    {"v1_without_limit",
     "4:cpu,cpuacct:/a\n",
     {{"cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n"}, {"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v1",
     "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n",
     {{"cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n"},
      {"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}},
     3},
    {"v1_mounted_in_a_container",
     "4:cpu:/docker/1f\n",
     {{"cpu/cpu.cfs_quota_us", "200000\n"}, {"cpu/cpu.cfs_period_us", "100000\n"}},
     2},
    {"v1_of_cpusets_alone",
     "4:cpuset:/a\n",
     {{"cpuset/a/cpu.cfs_quota_us", "100000\n"}, {"cpuset/a/cpu.cfs_period_us", "100000\n"}},
     0},
};

class ThreadCounts : public Test {
 protected:
  void SetUp() override { ::unsetenv("OMP_NUM_THREADS"); }
  void TearDown() override {
    if (!before_.empty()) {
      ::setenv("OMP_NUM_THREADS", before_.c_str(), 1);
    } else {
      ::unsetenv("OMP_NUM_THREADS");
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
  const ThreadCount threads = default_thread_count(1, here / "none");
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
  for (const auto& [text, count] :
       std::vector<std::pair<std::string, Index>>{{"1", 1},
                                                  {"1000", most},
                                                  {"0", most},
                                                  {"-1", most},
                                                  {"", most},
                                                  {"1,2", most},
                                                  {"1x", most},
                                                  {" 1", most},
                                                  {"99999999999999999999", most}}) {
    ::setenv("OMP_NUM_THREADS", text.c_str(), 1);
    const ThreadCount threads = default_thread_count(1, here.path());
    EXPECT_EQ(threads.count, count) << '"' << text << '"';
    EXPECT_EQ(threads.from == "OMP_NUM_THREADS", count < most) << '"' << text << '"';
    EXPECT_EQ(usable_cores(here.path()).count, most) << "it is about threads, not about cores";
  }
}

TEST_F(ThreadCounts, are_divided_among_processes_but_not_below_one) {
  EXPECT_EQ(default_thread_count(2, here / "none").count, std::max<Index>(1, cores / 2));
  EXPECT_EQ(default_thread_count(cores + 1, here / "none").count, 1);
}

}}  // namespace tapehead
