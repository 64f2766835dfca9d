// Trainings that take a fraction of a second, and comparisons of the runs that they leave.
#pragma once

#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

// Appends `--set` and the override, for each.
inline void set_options(Arguments& arguments, const Arguments& overrides) {
  for (const std::string& value : overrides) {
    arguments.emplace_back("--set");
    arguments.push_back(value);
  }
}

// `tapehead train` of the copy task with a tiny model, 40 steps unless the overrides, each
// "section.option=value", say otherwise. `options` are further words for the command line.
inline Arguments tiny_training(const std::string& run, const Arguments& overrides = {},
                               const Arguments& options = {}) {
  Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", run};
  set_options(arguments,
              {"task.train_examples=600", "task.validation_examples=40", "task.test_examples=40",
               "model.d_model=16", "model.layers=1", "model.dropout=0.1",
               "training.batch_tokens=256", "training.steps=40", "training.warmup=5",
               "training.checkpoint_every=10", "evaluation.every=20", "run.report=false"});
  set_options(arguments, overrides);
  return arguments + options;
}

// The same run, gone on with: by the config alone, as a stopped run tells its user to.
inline Arguments resumed_training(const std::string& run, const Arguments& overrides = {},
                                  const Arguments& options = {}) {
  Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", run, "--resume"};
  set_options(arguments, overrides);
  return arguments + options;
}

// The step checkpoint of a run.
inline std::filesystem::path step_checkpoint(const std::filesystem::path& run, int step) {
  const std::string digits = std::to_string(step);
  return run / "checkpoints" /
         ("step_" + std::string(8 - digits.size(), '0') + digits + ".safetensors");
}

// All files in a run's checkpoints but elapsed.json, which knows a clock.
inline std::set<std::string> checkpoint_names(const std::filesystem::path& run) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints")) {
    names.insert(entry.path().filename().string());
  }
  names.erase("elapsed.json");
  return names;
}

inline void expect_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  ASSERT_TRUE(std::filesystem::exists(one)) << one;
  ASSERT_TRUE(std::filesystem::exists(other)) << other;
  EXPECT_TRUE(content_of(one) == content_of(other)) << one << " differs from " << other;
}

// The two runs have the same metrics and the same checkpoints, to the last bit.
inline void expect_same_runs(const std::filesystem::path& one, const std::filesystem::path& other) {
  expect_same_file(one / "metrics.jsonl", other / "metrics.jsonl");
  EXPECT_EQ(checkpoint_names(one), checkpoint_names(other));
  for (const std::string& name : checkpoint_names(one)) {
    expect_same_file(one / "checkpoints" / name, other / "checkpoints" / name);
  }
}

}  // namespace tapehead
