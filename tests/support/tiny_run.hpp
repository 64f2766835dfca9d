// A run of a few steps that tests may damage, and test cases that run in child processes.
#pragma once

#include "tests/support/child_process.hpp"
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {

// Three checkpoints, the last at step 6; the weights of the last two are averaged.
inline void make_tiny_run(const TemporaryDirectory& here, const std::string& name) {
  const ProgramResult trained = run_program(
      tiny_training(
          name, {"task.train_examples=40", "task.validation_examples=4", "task.test_examples=4",
                 "task.vocabulary=8", "model.d_model=8", "model.heads=2", "model.d_ff=8",
                 "model.max_positions=64", "training.steps=6", "training.warmup=1",
                 "training.checkpoint_every=2", "evaluation.every=2", "training.average_last=2"}),
      here.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.errors;
}

// Runs `fault_of(number)` for each number below `cases`; it returns the fault of a case or "".
// Cases run in child processes, 50 per process, so a crash fails the test without ending it.
template <class FaultOf>
void expect_no_faults(const TemporaryDirectory& here, std::uint64_t cases,
                      const FaultOf& fault_of) {
  constexpr std::uint64_t at_a_time = 50;
  for (std::uint64_t first = 0; first < cases; first += at_a_time) {
    ChildProcess child([&] {
      std::ofstream notes(here / "notes");
      for (std::uint64_t i = first; i < std::min(first + at_a_time, cases); ++i) {
        notes << "case " << i << '\n' << std::flush;
        if (const std::string fault = fault_of(i); !fault.empty()) {
          notes << "FAULT in case " << i << ": " << fault << '\n' << std::flush;
        }
      }
      return 0;
    });
    const int code = child.wait();
    const std::string notes = content_of(here / "notes");
    EXPECT_EQ(code, 0) << "ended by " << notes.substr(notes.rfind("case "));
    for (std::size_t at = notes.find("FAULT"); at != std::string::npos;
         at = notes.find("FAULT", at + 1)) {
      ADD_FAILURE() << notes.substr(at, std::min<std::size_t>(notes.find('\n', at) - at, 600));
    }
  }
}

}  // namespace tapehead
