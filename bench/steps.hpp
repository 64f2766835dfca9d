// The training steps that are measured: sizes and subjects, and a model that takes their steps.
#pragma once

#include "bench/measure.hpp"
#include "train/model_training.hpp"

namespace tapehead {

struct StepSize {
  std::string_view name;
  Index vocabulary;
  Index d_model;
  Index heads;
  Index d_ff;
  Index layers;
  Index sequences;
  Index length;  // of each source and each target
  // Model FLOP utilisation, by 1 and by 2 threads, below which `step --check` fails.
  std::array<double, 2> least_mfu;

  Index tokens() const { return sequences * length; }  // of the targets; the sources have as many
};

inline constexpr std::array<StepSize, 4> step_sizes{{
    {"A", 32, 64, 4, 256, 2, 64, 16, {0.50, 0.45}},
    {"B", 1000, 128, 4, 512, 2, 64, 32, {0.65, 0.60}},
    {"C", 8000, 256, 8, 1024, 3, 32, 64, {0.72, 0.70}},
    {"D", 8000, 512, 8, 2048, 6, 16, 64, {0.78, 0.75}},
}};

// Null: no size has this name.
const StepSize* size_named(const std::string& name);

struct StepSubject {
  std::string name;
  Config config;  // resolved
  Index source_vocabulary;
  Index target_vocabulary;
  std::vector<std::vector<Batch>> steps;  // the batches of each step; used in turn
};

// Options of a config that are changed, each "section.option=value".
using Overrides = std::vector<std::string>;

// Random tokens, in sequences that are all of one length. Throws ConfigError for overrides that are
// wrong.
StepSubject subject_of(const StepSize& size, const Overrides& overrides = {});

// A size by its name; lm: nanoGPT's model for CPUs, as configs/shakespeare.yaml has it, on windows
// of random tokens; or a config's path: the first steps of its first epoch, from its own task.
// Throws ConfigError, and what reading the config and making its data throws.
StepSubject subject_named(const std::string& name, const Overrides& overrides = {});

// What a step took and did. All pairs of attention count, whatever the pattern, as in published
// figures of MFU.
struct StepTime {
  double seconds = 0;
  double tokens = 0;  // of targets
  double flops = 0;

  double tokens_per_second() const { return tokens / seconds; }
  double gflops() const { return flops / seconds / 1e9; }
};

class StepRun {
 public:
  // The subject must outlive it. The first step is made here: it takes the memory that later steps
  // keep.
  StepRun(const StepSubject& subject, Index threads, Ranks& ranks = alone());

  StepTime step() { return step(loss_); }
  StepTime step(const LossFunction& loss);
  const LossFunction& loss() const { return loss_; }
  const ParameterStore& store() const { return model_.store; }
  double bytes_sent() const { return trainer_.bytes_sent(); }

 private:
  const StepSubject& subject_;
  Model model_;
  Workers workers_;
  LossFunction loss_;
  Trainer trainer_;
  std::vector<StepTime> work_;  // of each of the subject's steps, without its seconds
  std::size_t next_ = 0;
};

}  // namespace tapehead
