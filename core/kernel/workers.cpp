#include "core/kernel/workers.hpp"

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include <sched.h>

#include "core/kernel/float_control.hpp"
#include "core/memory/pool.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

// The CPU quota of a control group in cores: CPU time per period divided by the length of a period.
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

// The smallest quota of a group and the groups around it. In a container, only its own group may be
// mounted, while `group` is a path from the root of the machine.
double least_quota(const fs::path& mounted, const std::string& group) {
  double least = quota_of(mounted);
  fs::path inner = mounted;
  for (const fs::path& part : fs::path(group).relative_path()) {
    inner /= part;
    least = std::min(least, quota_of(inner));
  }
  return least;
}

// Lines of /proc/self/cgroup, cgroups(7): "0::/user.slice" (v2) or "4:cpu,cpuacct:/docker/1f" (v1).
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

// If memory is lacking, a part that takes memory throws to the caller.
void take_arena(std::size_t arena) {
  try {
    use_pool_arena(arena);
  } catch (const std::bad_alloc&) {
    return;
  }
}

// Tells the core that the calling thread polls.
#if defined(__x86_64__)
void pause_polling() { _mm_pause(); }
#else
void pause_polling() { asm volatile("isb" : : : "memory"); }
#endif

ThreadCount cores_within(double quota) {
  // The library's own count includes cores that this process may not use.
  cpu_set_t allowed;
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const auto found = known ? static_cast<Index>(CPU_COUNT(&allowed))
                           : static_cast<Index>(std::thread::hardware_concurrency());
  const Index cores = std::max<Index>(1, found);
  return std::ceil(quota) < static_cast<double>(cores)
             ? ThreadCount{static_cast<Index>(std::ceil(quota)), "CPU quota of the control group"}
             : ThreadCount{cores, "cores of the process"};
}

}  // namespace

ThreadCount usable_cores(const fs::path& root) { return cores_within(cpu_quota(root)); }

ThreadCount usable_cores() {
  static const double quota = cpu_quota("/");
  return cores_within(quota);
}

ThreadCount default_thread_count(Index processes, const ThreadCount& cores) {
  ThreadCount threads{std::max<Index>(1, cores.count / processes), cores.from};
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  const Index asked = whole_number(variable == nullptr ? "" : variable).value_or(0);
  return asked >= 1 && asked < threads.count ? ThreadCount{asked, "OMP_NUM_THREADS"} : threads;
}

struct Workers::State {
  std::mutex mutex;
  std::condition_variable begin;
  std::condition_variable done;
  const std::function<void(Index)>* job = nullptr;
  Index count = 0;
  std::atomic<Index> untaken = 0;  // parts not yet taken; changed under the lock
  std::atomic<Index> unfinished = 0;
  Index failed = 0;
  std::exception_ptr failure;
  bool stopping = false;
  std::vector<std::thread> threads;
  int looks = 0;

  // Polls for about a millisecond: waking a thread takes longer than most waits within a step.
  template <class Condition>
  void look_for(const Condition& condition) const {
    for (int i = 0; i < looks && !condition(); ++i) {
      pause_polling();
    }
  }

  // Runs parts until all are taken. The lock is held on entry and on return.
  void work(std::unique_lock<std::mutex>& lock) {
    while (untaken > 0) {
      const Index part = count - untaken--;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        (*job)(part);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && (!failure || part < failed)) {
        failure = thrown;
        failed = part;
      }
      if (--unfinished == 0) {
        done.notify_all();
      }
    }
  }

  void serve() {
    set_float_control(float_control() | subnormals_are_zero);
    while (true) {
      look_for([this] { return untaken > 0; });
      std::unique_lock lock(mutex);
      begin.wait(lock, [this] { return stopping || untaken > 0; });
      if (stopping) {
        return;
      }
      work(lock);
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    begin.notify_all();
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

Workers::Workers(Index threads) : state_(std::make_unique<State>()) {
  set_float_control(float_control() | subnormals_are_zero);
  // A thread that polls must not keep a core from a thread that works.
  state_->looks = threads <= usable_cores().count ? 20'000 : 0;
  try {
    for (Index i = 1; i < threads; ++i) {
      state_->threads.emplace_back([state = state_.get(), arena = static_cast<std::size_t>(i)] {
        take_arena(arena);
        state->serve();
      });
    }
  } catch (const std::system_error& error) {
    state_->stop();
    throw IoError("cannot start thread {} of {}: {}; use fewer threads (--threads)",
                  state_->threads.size() + 1, threads, error.code().message());
  }
}

Workers::~Workers() { state_->stop(); }

Index Workers::threads() const { return static_cast<Index>(state_->threads.size()) + 1; }

void Workers::run_parts(Index count, const std::function<void(Index)>& part) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.job = &part;
  state.count = count;
  state.unfinished = count;
  state.untaken = count;
  state.failure = nullptr;
  if (count > 1) {
    state.begin.notify_all();
  }
  state.work(lock);
  lock.unlock();
  state.look_for([&state] { return state.unfinished == 0; });
  lock.lock();
  state.done.wait(lock, [&state] { return state.unfinished == 0; });
  if (state.failure) {
    std::rethrow_exception(std::exchange(state.failure, nullptr));
  }
}

}  // namespace tapehead
