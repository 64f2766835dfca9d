// tapehead sweep on several ranks: the same tables, despite kills, stops and failures.
#include "tests/support/launched.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Figures that depend on a clock or the allocator; docs/sweeps.md names them.
bool differs_by_launch(const std::string& name) {
  return name.starts_with("seconds") || name.starts_with("tokens_per_second") ||
         name.starts_with("peak_memory_mb") || name == "on_front";
}

class SweepOnRanks : public OpenMpiRuns {
 protected:
  static inline const std::string sweep = "sweep heads.yaml --run s";

  void write(const std::string& more) const { here.write("heads.yaml", tiny_sweep(more)); }
  // The results but for what differs by launch.
  nlohmann::json results_in(const std::string& directory) const {
    using Event = nlohmann::json::parse_event_t;
    return nlohmann::json::parse(
        content_of(here / directory / "results.json"), [](int, Event event, const auto& parsed) {
          return event != Event::key || !differs_by_launch(parsed.template get<std::string>());
        });
  }
  // Compares tables and runs with an uninterrupted sweep of one process.
  void expect_as_one_process() const {
    here.output("sweep heads.yaml --run alone");
    const auto results = results_in("alone");
    EXPECT_EQ(results_in("s"), results);
    for (const std::string table : {"runs.csv", "cells.csv"}) {
      EXPECT_EQ(lines_of(content_of(here / "s" / table)).size(),
                lines_of(content_of(here / "alone" / table)).size());
    }
    for (const auto& run : results["runs"]) {
      const std::string name = run["name"];
      expect_same_file(here / "alone" / name / "config.yaml", here / "s" / name / "config.yaml");
      expect_same_runs(here / "alone" / name, here / "s" / name);
    }
  }
};

TEST_F(SweepOnRanks, has_the_tables_of_one_process) {
  write("training.steps: 20}\nseeds: 2\naxes: {model.heads: [1, 2]}\nheads: [figures]\n");
  const ProgramResult result = run_on(3, sweep);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("2 cells, 4 runs, 0 of them finished before, in s; 3 ranks"),
                    HasSubstr("finished on rank 0 ("), HasSubstr("finished on rank 1 ("),
                    HasSubstr("finished on rank 2 (")));
  expect_once(result.output, "best: ");
  expect_as_one_process();
}

TEST_F(SweepOnRanks, goes_on_after_a_killed_and_a_stopped_rank) {
  write("training.steps: 600}\nseeds: [5]\naxes: {model.heads: [1, 2]}\n");
  for (const auto& [signal, step] : {std::pair(SIGKILL, 10), std::pair(SIGTERM, 100)}) {
    Program mpirun(launch(openmpi, 2, program_for_openmpi, CommandLine(sweep)), here.path(),
                   "/usr/bin/env");
    EXPECT_TRUE(wait_until([&] {
      const std::string metrics = content_of(here / "s/model.heads=2,seed=5/metrics.jsonl");
      return metrics.find(fmt::format("\"step\":{},", step)) != std::string::npos;
    }));
    const std::vector<StartedRank> ranks = ranks_of(mpirun.id());
    ASSERT_EQ(ranks.size(), 2U);
    ::kill(ranks.back().id, signal);
    const ProgramResult result = mpirun.wait();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.errors;
    if (signal == SIGTERM) {
      EXPECT_THAT(
          result.errors,
          AllOf(ContainsRegex(
                    "stopped, [01] of 2 runs finished; continue with: mpirun.openmpi -n 2 "),
                HasSubstr("tapehead-openmpi " + sweep)));
    }
    EXPECT_FALSE(fs::exists(here / "s/results.json")) << "too late to show anything";
  }
  run_on(3, sweep);  // one rank more than before
  EXPECT_THAT(content_of(here / "s/model.heads=2,seed=5.log"),
              ContainsRegex("resuming .* at step [1-9]"));
  expect_as_one_process();
}

TEST_F(SweepOnRanks, tries_a_run_that_fails_on_another_rank) {
  write("training.steps: 10}\nseeds: [5]\naxes: {model.heads: [1, 2]}\n");
  fs::create_directories(here / "s/model.heads=1,seed=5");
  here.write("s/.sweep.lock", "tapehead run, process 1\n");
  here.write("s/model.heads=1,seed=5/mine", "dear");
  const ProgramResult result = run_on(2, sweep, 1);
  EXPECT_THAT(result.errors,
              AllOf(ContainsRegex("model.heads=1,seed=5 failed on rank 0 \\([^)]*\\) \\(exit code "
                                  "1\\); another rank tries it again"),
                    ContainsRegex("model.heads=1,seed=5 failed on rank 0 \\([^)]*\\) and rank 1 "
                                  "\\([^)]*\\) \\(exit code 1\\)"),
                    ContainsRegex("model.heads=2,seed=5 finished on rank 1")));
  const std::string log = content_of(here / "s/model.heads=1,seed=5.log");
  EXPECT_NE(log.find("is not a run"), log.rfind("is not a run"));
  EXPECT_EQ(results_in("s")["cells"].size(), 1U);
}

TEST_F(SweepOnRanks, says_a_mistake_once_and_makes_nothing) {
  write("training.steps: 10}\naxes: {model.haeds: [1, 2]}\n");
  const ProgramResult refused = run_on(3, sweep, 2);
  expect_once(refused.errors, "model.haeds: unknown option; did you mean model.heads?");
  EXPECT_FALSE(fs::exists(here / "s"));
  // A directory that a rank does not see.
  write("training.steps: 10}\n");
  const Arguments words =
      launch(openmpi, 1, program_for_openmpi, CommandLine(sweep)) +
      Arguments{":", "-n", "2", program_for_openmpi, "sweep", "heads.yaml", "--run", "other"};
  const ProgramResult unseen = Program(words, here.path(), "/usr/bin/env").wait();
  EXPECT_EQ(unseen.exit_code, 1);
  EXPECT_THAT(unseen.errors,
              ContainsRegex("^error: a sweep needs a directory that all ranks share, but rank 1 "
                            "\\([^)]*\\), rank 2 \\([^)]*\\) cannot see what rank 0 writes into "));
  expect_once(unseen.errors, "cannot see");
  EXPECT_EQ(std::distance(fs::directory_iterator(here / "s"), {}), 1) << "the lock alone";
  EXPECT_FALSE(fs::exists(here / "other"));
}

}}  // namespace tapehead
