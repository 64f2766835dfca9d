// Faults at random moments: a killed or stopped rank ends the training, and another number of ranks
// resumes it, bit-identical to a training without faults.
#include <random>
#include <stop_token>

#include "tests/support/launched.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A training of about four seconds, which mostly saves and evaluates.
Arguments long_training(const fs::path& run) {
  return tiny_training(run.string(), {"training.steps=1200", "training.checkpoint_every=20",
                                      "evaluation.every=50", "evaluation.decode_examples=5"});
}

class ProveRanks : public OpenMpiRuns {
 protected:
  // `deadline` is in seconds; empty: the default.
  Arguments next_start(const std::string& deadline = "") const {
    const bool begun = fs::exists(broken / "config.yaml");
    if (!begun) {  // killed before it wrote what it trains
      fs::remove_all(broken);
    }
    return (begun ? resumed_training(broken.string()) : long_training(broken)) +
           Arguments{"--threads", "1"} +
           (deadline.empty() ? Arguments{} : Arguments{"--deadline", deadline});
  }

  // Starts or resumes the training on 2 to 4 ranks, and sends a signal to one rank.
  struct Fault {
    std::optional<StartedRank> rank;  // nullopt: the training had ended
    ProgramResult result;
  };
  Fault fault(Index number, int signal, const std::string& deadline = "") {
    const int ranks = 2 + static_cast<int>(number % 3);
    const std::size_t before = steps_so_far();
    Program program(launch(openmpi, ranks, program_for_openmpi, next_start(deadline)), here.path(),
                    "/usr/bin/env");
    if (signal == SIGSTOP) {  // before its first exchange, a rank is missed only after a minute
      bool started = false;
      wait_until([&] {
        const bool there = !ranks_of(program.id()).empty();
        started = started || there;
        return steps_so_far() != before || (started && !there);
      });
    }
    std::this_thread::sleep_for(milliseconds(milliseconds_(random_)));
    const std::vector<StartedRank> ranks_there = ranks_of(program.id());
    std::optional<StartedRank> chosen;
    if (!ranks_there.empty()) {
      chosen = ranks_there[random_() % ranks_there.size()];
      ::kill(chosen->id, signal);
    }
    // If a rank is stopped after the end of training, only the launcher waits for it, so this
    // thread wakes the rank.
    const std::jthread waker([&](const std::stop_token& over) {
      for (int i = 0; i < 200 && !over.stop_requested(); ++i) {
        std::this_thread::sleep_for(milliseconds(100));
      }
      if (!over.stop_requested() && chosen) {
        ::kill(chosen->id, SIGCONT);
      }
    });
    return {.rank = chosen, .result = program.wait()};
  }
  std::size_t steps_so_far() const { return content_of(broken / "metrics.jsonl").size(); }

  // After every ten faults, completes the training, compares it, and starts another.
  void expect_the_run_without_faults(Index faults) {
    if (faults % 10 != 0) {
      return;
    }
    const fs::path whole = here / "whole";
    if (!fs::exists(whole)) {
      here.output(long_training(whole));
    }
    here.output(next_start());
    expect_same_runs(whole, broken);
    fs::remove_all(broken);
  }
  fs::path broken = here / "broken";

 private:
  std::mt19937 random_{1};
  std::uniform_int_distribution<int> milliseconds_{0, 900};
};

TEST_F(ProveRanks, one_that_is_killed_ends_all_and_loses_nothing) {
  const Index cases = proof_cases(10, 100);
  Index killed = 0;
  for (Index i = 0; i < cases; ++i) {
    const Fault one = fault(i, SIGKILL);
    if (one.result.exit_code != 0) {
      EXPECT_EQ(one.result.exit_code, 128 + SIGKILL) << one.result.errors;
      EXPECT_TRUE(one.rank) << one.result.errors;
      ++killed;
    }
    expect_the_run_without_faults(i + 1);
  }
  EXPECT_GE(killed, 3);
  tell_figures(fmt::format(
      "ranks: {} of {} trainings were ended by the kill of a rank; each run has the bits of one "
      "without faults",
      killed, cases));
}

TEST_F(ProveRanks, one_that_is_stopped_is_named_and_loses_nothing) {
  const Index cases = proof_cases(10, 100);
  Index named = 0;
  for (Index i = 0; i < cases; ++i) {
    const Fault one = fault(i, SIGSTOP, "1.5");  // no rank is this late, even on a busy machine
    if (one.rank && one.result.exit_code != 0) {
      EXPECT_THAT(one.result.errors,
                  HasSubstr("no answer within the deadline of 1.5 s from rank " + one.rank->rank));
      ++named;
    }
    expect_the_run_without_faults(i + 1);
  }
  EXPECT_GE(named, 3);
  tell_figures(fmt::format(
      "ranks: {} of {} trainings had a rank that was stopped, which was named; each run has the "
      "bits of one without faults",
      named, cases));
}

// MPICH is not installed for tests, only for the whole proof.
TEST_F(ProveRanks, of_mpich_leave_the_run_of_one_process) {
  const std::string mpich = "/usr/bin/mpirun.mpich";
  const std::string program = TAPEHEAD_PROGRAM "-mpich";
  const Index most = proof_cases(0, 4);
  ASSERT_TRUE(most == 0 || fs::exists(program)) << "./dev build mpi builds it";
  if (most > 0) {
    here.output(long_training(here / "whole"));
  }
  for (int ranks = 2; ranks <= most; ++ranks) {
    const fs::path run = here / fmt::format("{}", ranks);
    const Arguments training = long_training(run) + Arguments{"--threads", "1"};
    const ProgramResult result =
        Program(launch(mpich, ranks, program, training), here.path(), "/usr/bin/env").wait();
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    expect_same_runs(here / "whole", run);
    tell_figures(fmt::format("ranks: {} ranks on MPICH leave the run of one process", ranks));
  }
}

}}  // namespace tapehead
