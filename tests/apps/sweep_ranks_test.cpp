// tapehead sweep on several ranks: the same tables, despite kills, stops and failures.
#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/support/launched.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Figures that depend on a clock or the allocator; docs/sweeps.md names them.
bool differs_by_launch(const std::string& name) {
  return name.starts_with("seconds") || name.starts_with("tokens_per_second") ||
         name.starts_with("peak_memory_mb") || name == "on_front";
}

nlohmann::json without_times(nlohmann::json json) {
  if (json.is_object()) {
    for (auto item = json.begin(); item != json.end();) {
      item = differs_by_launch(item.key()) ? json.erase(item) : std::next(item);
    }
  }
  if (json.is_structured()) {
    for (auto& item : json) {
      item = without_times(std::move(item));
    }
  }
  return json;
}

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    quoted = quoted != (c == '"');
    if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string csv_without_times(const fs::path& file) {
  const std::vector<std::string> lines = lines_of(content_of(file));
  const std::vector<std::string> names = csv_fields(lines.at(0));
  std::string text;
  for (const std::string& line : lines) {
    const std::vector<std::string> fields = csv_fields(line);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      text += differs_by_launch(names.at(i)) ? "" : fields[i] + ',';
    }
    text += '\n';
  }
  return text;
}

class SweepOnRanks : public ProgramRuns {
 protected:
  void SetUp() override {
    if (!openmpi_is_there()) {
      GTEST_SKIP() << "Open MPI was not found when this was built";
    }
  }
  void write(const std::string& more) const {
    std::ofstream(here / "heads.yaml")
        << "config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n"
        << "set: {task.train_examples: 300, task.validation_examples: 20,\n"
           "  task.test_examples: 30, model.d_model: 8, model.layers: 1,\n"
           "  training.batch_tokens: 256, training.warmup: 5, training.checkpoint_every: 5,\n"
           "  evaluation.every: 10, "
        << more;
  }
  static Arguments sweep_into(const std::string& directory) {
    return {"sweep", "heads.yaml", "--run", directory};
  }
  ProgramResult sweep_on(int ranks) const {
    return run_launched(ranks, program_for_openmpi, sweep_into("s"), here.path());
  }
  nlohmann::json results_in(const std::string& directory) const {
    return without_times(nlohmann::json::parse(content_of(here / directory / "results.json")));
  }
  // Compares tables and runs with an uninterrupted sweep of one process.
  void expect_as_one_process() const {
    const ProgramResult alone = here.run(sweep_into("alone"));
    ASSERT_EQ(alone.exit_code, 0) << alone.errors;
    EXPECT_EQ(results_in("s"), results_in("alone"));
    for (const std::string table : {"runs.csv", "cells.csv"}) {
      EXPECT_EQ(csv_without_times(here / "s" / table), csv_without_times(here / "alone" / table));
    }
    const auto results = results_in("alone");
    for (const auto& run : results["runs"]) {
      const std::string name = run["name"];
      expect_same_file(here / "alone" / name / "config.yaml", here / "s" / name / "config.yaml");
      expect_same_runs(here / "alone" / name, here / "s" / name);
    }
  }
};

TEST_F(SweepOnRanks, has_the_tables_of_one_process) {
  write("training.steps: 20}\nseeds: 2\naxes: {model.heads: [1, 2]}\nheads: [figures]\n");
  const ProgramResult result = sweep_on(3);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("2 cells, 4 runs, 0 of them finished before, in s; 3 ranks"));
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(result.errors, HasSubstr(fmt::format("finished on rank {} (", rank)));
  }
  EXPECT_EQ(result.output.find("best: "), result.output.rfind("best: ")) << "printed once";
  expect_as_one_process();
}

TEST_F(SweepOnRanks, goes_on_after_a_killed_and_a_stopped_rank) {
  write("training.steps: 600}\nseeds: [5]\naxes: {model.heads: [1, 2]}\n");
  for (const auto& [signal, step] : {std::pair(SIGKILL, 10), std::pair(SIGTERM, 100)}) {
    Program mpirun(launch(openmpi, 2, program_for_openmpi, sweep_into("s")), here.path(),
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
                HasSubstr("tapehead-openmpi sweep heads.yaml --run s")));
    }
    EXPECT_FALSE(fs::exists(here / "s/results.json")) << "too late to show anything";
  }
  const ProgramResult end = sweep_on(3);  // one rank more than before
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(content_of(here / "s/model.heads=2,seed=5.log"),
              ContainsRegex("resuming .* at step [1-9]"));
  expect_as_one_process();
}

TEST_F(SweepOnRanks, tries_a_run_that_fails_on_another_rank) {
  write("training.steps: 10}\nseeds: [5]\naxes: {model.heads: [1, 2]}\n");
  fs::create_directories(here / "s/model.heads=1,seed=5");
  std::ofstream(here / "s/.sweep.lock") << "tapehead run, process 1\n";
  std::ofstream(here / "s/model.heads=1,seed=5/mine") << "dear";
  const ProgramResult result = sweep_on(2);
  EXPECT_EQ(result.exit_code, 1);
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

TEST_F(SweepOnRanks, refuses_a_directory_that_a_rank_does_not_see) {
  write("training.steps: 10}\n");
  Arguments words = launch(openmpi, 1, program_for_openmpi, sweep_into("s"));
  words.insert(words.end(), {":", "-n", "2", program_for_openmpi});
  const Arguments elsewhere = sweep_into("other");
  words.insert(words.end(), elsewhere.begin(), elsewhere.end());
  const ProgramResult refused = Program(words, here.path(), "/usr/bin/env").wait();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors,
              ContainsRegex("^error: a sweep needs a directory that all ranks share, but rank 1 "
                            "\\([^)]*\\), rank 2 \\([^)]*\\) cannot see what rank 0 writes into "));
  EXPECT_EQ(refused.errors.find("cannot see"), refused.errors.rfind("cannot see"));
  EXPECT_EQ(std::distance(fs::directory_iterator(here / "s"), {}), 1) << "the lock alone";
  EXPECT_FALSE(fs::exists(here / "other"));
}

TEST_F(SweepOnRanks, says_a_mistake_once_and_makes_nothing) {
  write("training.steps: 10}\naxes: {model.haeds: [1, 2]}\n");
  const ProgramResult refused = sweep_on(3);
  EXPECT_EQ(refused.exit_code, 2);
  const std::string error = "model.haeds: unknown option; did you mean model.heads?";
  EXPECT_THAT(refused.errors, HasSubstr(error));
  EXPECT_EQ(refused.errors.find(error), refused.errors.rfind(error)) << refused.errors;
  EXPECT_FALSE(fs::exists(here / "s"));
}

}}  // namespace tapehead
