// Threads: how many a process should have, how their cores treat numbers and waiting, and worker
// threads, which run the parts of a job in parallel. Which thread runs which part affects only the
// time.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Makes the calling thread treat denormal numbers as zero: they are slow, and no result needs them.
void flush_denormals();

// Tells the core that the calling thread polls.
void pause_polling();

struct ThreadCount {
  Index count;       // at least 1
  std::string from;  // what decides it, such as "OMP_NUM_THREADS"
};

// The cores on which this process may run or, if that is fewer, the CPU quota of its control group
// (that of a container, for example) rounded up to whole cores. A group's quota holds for the
// groups in it. `root` is that of /proc and /sys.
ThreadCount usable_cores(const std::filesystem::path& root = "/");

// The usable cores divided by the number of `processes` that use the same ones or, if that is
// fewer, OMP_NUM_THREADS, if this is a whole number from 1 on.
ThreadCount default_thread_count(Index processes = 1, const std::filesystem::path& root = "/");

// How many threads compute unless the user says.
Index default_threads();

class Workers {
 public:
  explicit Workers(Index threads);  // the calling thread is one of them; throws IoError
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Index threads() const;

  // Calls part(0) ... part(count - 1), each once, and returns when all are done. If parts throw, it
  // rethrows the error of the first such part.
  template <class Part>
  void run(Index count, const Part& part) {
    run_erased(count, &part, [](const void* job, Index i) { (*static_cast<const Part*>(job))(i); });
  }

 private:
  void run_erased(Index count, const void* job, void (*call)(const void*, Index));

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tapehead
