// Worker threads run the parts of a job in parallel. Which thread runs which part affects only the
// time.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// How many threads compute unless the user says (core/kernel/cpu.hpp).
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
