// Faults at random moments: a rank that is killed or stopped ends the training, and another number
// of ranks goes on with it to the bits of a training without faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/launched.hpp"
#include "tests/support/program.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::HasSubstr;

// A process that Open MPI's launcher has started on this machine.
struct StartedRank {
  pid_t id;
  std::string rank;
};

std::optional<pid_t> parent_of(pid_t id) {
  const std::string status = content_of(fmt::format("/proc/{}/status", id));
  const std::size_t at = status.find("PPid:");
  return at == std::string::npos ? std::nullopt
                                 : std::optional<pid_t>(std::stoi(status.substr(at + 5)));
}

std::vector<StartedRank> ranks_of(pid_t launcher) {
  constexpr std::string_view variable = "OMPI_COMM_WORLD_RANK=";
  std::vector<StartedRank> ranks;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (id == 0 || parent_of(id) != launcher) {
      continue;
    }
    const std::string variables = '\0' + content_of(entry.path() / "environ");
    const std::size_t at = variables.find('\0' + std::string(variable));
    if (at != std::string::npos) {
      ranks.push_back({.id = id, .rank = variables.c_str() + at + 1 + variable.size()});
    }
  }
  return ranks;
}

// A training of about four seconds, much of which is saving and evaluating.
Arguments long_training(const fs::path& run) {
  return tiny_training(run.string(), {"training.steps=1200", "training.checkpoint_every=20",
                                      "evaluation.every=50", "evaluation.decode_examples=5"});
}

class ProveRanks : public testing::Test {
 protected:
  void SetUp() override {
    if (!openmpi_is_there()) {
      GTEST_SKIP() << "Open MPI was not found when this was built";
    }
  }

  Arguments next_start() const {
    Arguments arguments =
        fs::exists(broken) ? resumed_training(broken.string()) : long_training(broken);
    arguments.insert(arguments.end(), {"--threads", "1", "--deadline", "0.5"});
    return arguments;
  }

  // Starts the training or goes on with it, on 2 to 4 ranks, and sends one of them a signal.
  struct Fault {
    std::optional<std::string> rank;  // none: the training had ended
    ProgramResult result;
  };
  Fault fault(Index number, int signal) {
    const int ranks = 2 + static_cast<int>(number % 3);
    const std::size_t before = steps_so_far();
    Program program(launch(openmpi, ranks, program_for_openmpi, next_start()), here.path(),
                    "/usr/bin/env");
    if (signal == SIGSTOP) {  // before its first exchange, a rank is only missed after a minute
      bool started = false;
      wait_until([&] {
        const bool there = !ranks_of(program.id()).empty();
        started = started || there;
        return steps_so_far() != before || (started && !there);
      });
    }
    std::this_thread::sleep_for(milliseconds(milliseconds_(random_)));
    const std::vector<StartedRank> ranks_there = ranks_of(program.id());
    std::optional<std::string> chosen;
    if (!ranks_there.empty()) {
      const StartedRank& one = ranks_there[random_() % ranks_there.size()];
      ::kill(one.id, signal);
      chosen = one.rank;
    }
    return {.rank = chosen, .result = program.wait()};
  }
  std::size_t steps_so_far() const { return content_of(broken / "metrics.jsonl").size(); }

  void expect_the_run_without_faults() {
    const fs::path whole = here / "whole";
    ASSERT_EQ(run_program(long_training(whole), here.path()).exit_code, 0);
    const ProgramResult end = run_program(next_start(), here.path());
    ASSERT_EQ(end.exit_code, 0) << end.errors;
    expect_same_runs(whole, broken);
  }

  TemporaryDirectory here;
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
    killed += one.result.exit_code != 0 ? 1 : 0;
    EXPECT_TRUE(one.result.exit_code != 0 || fs::exists(broken / "record.json"));
  }
  expect_the_run_without_faults();
  EXPECT_GE(killed, 3);
  tell_figures(
      fmt::format("ranks: {} of {} trainings were ended by the kill of a rank; the run has "
                  "the bits of one without faults",
                  killed, cases));
}

TEST_F(ProveRanks, one_that_is_stopped_is_named_and_loses_nothing) {
  const Index cases = proof_cases(10, 100);
  Index named = 0;
  for (Index i = 0; i < cases; ++i) {
    const Fault one = fault(i, SIGSTOP);
    if (one.rank && one.result.exit_code != 0) {
      EXPECT_THAT(one.result.errors,
                  HasSubstr("no answer within the deadline of 0.5 s from rank " + *one.rank));
      ++named;
    }
  }
  expect_the_run_without_faults();
  EXPECT_GE(named, 3);
  tell_figures(
      fmt::format("ranks: {} of {} trainings had a rank that was stopped, which was named; the run "
                  "has the bits "
                  "of one without faults",
                  named, cases));
}

}  // namespace

}  // namespace tapehead
