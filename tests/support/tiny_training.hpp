// Trainings that take a fraction of a second, and comparisons of their runs.
#pragma once

#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

// Appends `--set` and the override for each override.
inline void set_options(Arguments& arguments, const Arguments& overrides) {
  for (const std::string& value : overrides) {
    arguments.emplace_back("--set");
    arguments.push_back(value);
  }
}

// The arguments of `tapehead train` for the copy task with a tiny model. `overrides` are
// "section.option=value" (default: 40 steps); `options` are further command-line words.
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

// Resumes the same run from its config alone, as the message of a stopped run says.
inline Arguments resumed_training(const std::string& run, const Arguments& overrides = {},
                                  const Arguments& options = {}) {
  Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", run, "--resume"};
  set_options(arguments, overrides);
  return arguments + options;
}

// A sweep file of smaller trainings for the copy task. `more` holds further options of `set`, such
// as "training.steps: 20}", and the rest of the file.
inline std::string tiny_sweep(const std::string& more) {
  return "config: " TAPEHEAD_SOURCE_DIR
         "/configs/copy.yaml\n"
         "set: {task.train_examples: 300, task.validation_examples: 20, task.test_examples: 30,\n"
         "  model.d_model: 8, model.layers: 1, training.batch_tokens: 256, training.warmup: 5,\n"
         "  training.checkpoint_every: 5, evaluation.every: 10, " +
         more;
}

// The path of a run's step checkpoint.
inline std::filesystem::path step_checkpoint(const std::filesystem::path& run, int step) {
  const std::string digits = std::to_string(step);
  return run / "checkpoints" /
         ("step_" + std::string(8 - digits.size(), '0') + digits + ".safetensors");
}

// The step of a run's newest checkpoint; 0 if there is none.
inline int newest_step(const std::filesystem::path& run) {
  int newest = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints", ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with("step_") && file.ends_with(".safetensors")) {
      newest = std::max(newest, std::stoi(file.substr(5)));
    }
  }
  return newest;
}

// All files in a run's checkpoints except elapsed.json, which depends on the clock.
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

// Expects bit-identical metrics and checkpoints in the two runs, and times of as many steps.
inline void expect_same_runs(const std::filesystem::path& one, const std::filesystem::path& other) {
  expect_same_file(one / "metrics.jsonl", other / "metrics.jsonl");
  EXPECT_EQ(lines_of(content_of(one / "times.jsonl")).size(),
            lines_of(content_of(other / "times.jsonl")).size());
  EXPECT_EQ(checkpoint_names(one), checkpoint_names(other));
  for (const std::string& name : checkpoint_names(one)) {
    expect_same_file(one / "checkpoints" / name, other / "checkpoints" / name);
  }
}

}  // namespace tapehead
