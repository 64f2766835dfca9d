#include "core/kernel/cpu.hpp"

#include <fstream>
#include <thread>

#include <sched.h>

#include "core/text.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#endif

namespace tapehead {

#if defined(__x86_64__)
bool cpu_has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

void flush_denormals() {
  constexpr unsigned flush_to_zero = 0x8000;
  constexpr unsigned denormals_are_zero = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
}

void pause_polling() { _mm_pause(); }
#else
bool cpu_has_avx512() { return false; }

// Bit 24 of the floating-point control register (Arm Architecture Reference Manual, FPCR) is about
// both what is read and what is written.
void flush_denormals() {
  constexpr std::uint64_t flush_to_zero = 1 << 24;
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | flush_to_zero));
}

void pause_polling() { asm volatile("isb" : : : "memory"); }
#endif

namespace {

namespace fs = std::filesystem;

constexpr double no_quota = std::numeric_limits<double>::infinity();

// In cores: the microseconds of CPU time that a control group may use in a period, divided by those
// of the period.
double quota_of(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream unified(group / "cpu.max");  // cgroup v2: "200000 100000", or "max 100000"
  if (!(unified >> quota >> period)) {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;  // cgroup v1; -1: none
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : no_quota;
}

// The least of a group and those around it. In a container, what is mounted may be its group alone,
// while `group` counts from the root of the machine.
double least_quota(const fs::path& mounted, const std::string& group) {
  double least = quota_of(mounted);
  fs::path inner = mounted;
  for (const fs::path& part : fs::path(group).relative_path()) {
    inner /= part;
    least = std::min(least, quota_of(inner));
  }
  return least;
}

// Lines of /proc/self/cgroup, cgroups(7): "0::/user.slice" of v2, "4:cpu,cpuacct:/docker/1f" of v1.
double cpu_quota(const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  double least = no_quota;
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_quota(mounts, group));
    } else if ((',' + controllers + ',').find(",cpu,") != std::string::npos) {
      for (const std::string& name : {controllers, std::string("cpu")}) {
        least = std::min(least, least_quota(mounts / name, group));
      }
    }
  }
  return least;
}

// The library's own count (hardware_concurrency) includes cores that this process may not use.
Index cores_of_affinity() {
  cpu_set_t allowed;
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  return known ? static_cast<Index>(CPU_COUNT(&allowed))
               : static_cast<Index>(std::thread::hardware_concurrency());
}

}  // namespace

ThreadCount usable_cores(const fs::path& root) {
  const Index cores = std::max<Index>(1, cores_of_affinity());
  const double quota = std::ceil(cpu_quota(root));
  return quota < static_cast<double>(cores)
             ? ThreadCount{static_cast<Index>(quota), "CPU quota of the control group"}
             : ThreadCount{cores, "cores of the process"};
}

ThreadCount default_thread_count(Index processes, const fs::path& root) {
  ThreadCount threads = usable_cores(root);
  threads.count = std::max<Index>(1, threads.count / processes);
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  const Index asked = whole_number(variable == nullptr ? "" : variable).value_or(0);
  return asked >= 1 && asked < threads.count ? ThreadCount{asked, "OMP_NUM_THREADS"} : threads;
}

}  // namespace tapehead
