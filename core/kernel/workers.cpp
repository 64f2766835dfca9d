#include "core/kernel/workers.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "core/kernel/cpu.hpp"
#include "core/memory/pool.hpp"

namespace tapehead {

namespace {

// Whether there was memory for it. If not, what a part takes throws, and that reaches the caller.
bool take_arena(std::size_t arena) {
  try {
    use_pool_arena(arena);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

Index default_threads() { return default_thread_count().count; }

struct Workers::State {
  std::mutex mutex;
  std::condition_variable begin;
  std::condition_variable done;
  const void* job = nullptr;
  void (*call)(const void*, Index) = nullptr;
  Index count = 0;
  std::atomic<Index> untaken = 0;  // parts not yet taken; changed under the lock
  std::atomic<Index> unfinished = 0;
  Index failed = 0;
  std::exception_ptr failure;
  bool stopping = false;
  std::vector<std::thread> threads;
  int looks = 0;

  // Polls for about a millisecond whether the condition holds, since waking a sleeping thread takes
  // longer than most waits within a step.
  template <class Condition>
  void look_for(const Condition& condition) const {
    for (int i = 0; i < looks && !condition(); ++i) {
      pause_polling();
    }
  }

  // Takes parts until none are left. The lock is held on entry and on return.
  void work(std::unique_lock<std::mutex>& lock) {
    while (untaken > 0) {
      const Index part = count - untaken--;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        call(job, part);
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
    flush_denormals();
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
  flush_denormals();
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
    throw IoError(fmt::format("cannot start thread {} of {}: {}; use fewer threads (--threads)",
                              state_->threads.size() + 1, threads, error.code().message()));
  }
}

Workers::~Workers() { state_->stop(); }

Index Workers::threads() const { return static_cast<Index>(state_->threads.size()) + 1; }

void Workers::run_erased(Index count, const void* job, void (*call)(const void*, Index)) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.job = job;
  state.call = call;
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
