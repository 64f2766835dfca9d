// Worker threads, which run the parts of a job in parallel, and the number of threads that a
// process should use. Which thread runs which part affects only the time.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct ThreadCount {
  Index count;       // at least 1
  std::string from;  // what decides it, such as "OMP_NUM_THREADS"
};

// The number of cores that this process may use: its CPU affinity or, if smaller, the CPU quota of
// its control group (a container, for example), rounded up. The quota of a group also limits the
// groups inside it. /proc and /sys are read below `root`.
ThreadCount usable_cores(const fs::path& root);
ThreadCount usable_cores();  // below "/", where the quota is read at the first call

// The cores divided by the number of `processes` that share them, at least 1. If OMP_NUM_THREADS is
// a smaller whole number from 1 on, it is used instead.
ThreadCount default_thread_count(Index processes = 1, const ThreadCount& cores = usable_cores());

// The number of threads, unless the user sets it.
inline Index default_threads() { return default_thread_count().count; }

class Workers : NotCopied {
 public:
  explicit Workers(Index threads);  // the calling thread is one of them; throws IoError
  ~Workers();

  Index threads() const;

  // Calls part(0) ... part(count - 1), each once, and returns when all are done. If parts throw, it
  // rethrows the error of the first such part.
  template <class Part>
  void run(Index count, const Part& part) {
    run_parts(count, std::cref(part));  // a reference, for which std::function takes no memory
  }

 private:
  void run_parts(Index count, const std::function<void(Index)>& part);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tapehead
