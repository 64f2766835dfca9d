// What all measurements share: a command, timing, a process of their own, and a table; and the
// training steps that are measured: sizes and subjects, and a model that takes their steps.
#pragma once

#include "apps/commands.hpp"
#include "core/files/process.hpp"
#include "core/tape/tensor.hpp"
#include "train/model_training.hpp"

namespace tapehead {

// A command that runs `run` with the arguments that its options set. They have a member `json`.
template <class Arguments>
auto add_bench(CLI::App& program, const char* name, const char* help,
               void (*run)(const Arguments&)) {
  const auto added = add_command<Arguments>(program, name, help, run);
  added.first.add_flag("--json", added.second.json, "One JSON object a line");
  return added;
}

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = Clock::now();
  work();
  return seconds_since(begin);
}

// What `once` returns, from at least `fewest` calls, and from as many as fit into `seconds`.
template <class Once>
auto repeat(std::size_t fewest, double seconds, Once&& once) {
  std::vector<decltype(once())> results;
  const auto begin = Clock::now();
  while (results.size() < fewest || seconds_since(begin) < seconds) {
    results.push_back(once());
  }
  return results;
}

// The middle of the numbers that `number` gives for the results.
template <class Results, class Number = std::identity>
double median(const Results& results, const Number& number = {}) {
  std::vector<double> numbers;
  std::ranges::transform(results, std::back_inserter(numbers), number);
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

// What `measure` returns, in a process of its own, so that its memory, and what it leaves in the
// pool, is its own. To be called while there are no other threads.
Json measure_apart(const std::function<Json()>& measure);

// The most memory that this process has had resident, in MB (1e6 bytes).
double peak_memory_mb();

// The best of products (rows, depth) (depth, columns)ᵀ on one core, by OpenBLAS and by our own
// kernel, in GF/s. Model FLOP utilisation is measured against that of 1024 x 1024 matrices.
double sgemm_rate(Index rows = 1024, Index columns = 1024, Index depth = 1024);

// Copying more than the caches hold, in GB/s (1e9 bytes), read and written bytes together.
double copy_rate();

// Numbers between -1 and 1 that are not all the same.
Tensor varied_numbers(const Shape& shape);

// What a measurement prints: a table to read, or one JSON object a line.
class Report {
 public:
  // The table's columns: the names of what a row has, such as "ms" or "share/linear". The first one
  // has texts of this width.
  Report(bool json, std::vector<std::string> columns, std::size_t width = 7)
      : json_(json), columns_(std::move(columns)), width_(width) {}

  // Printed at once: a measurement takes long. The table has four digits of each number, and marks
  // with "-" what the row has no value for.
  void row(const Json& values);

 private:
  bool json_;
  std::vector<std::string> columns_;
  std::size_t width_;
  bool has_header_ = false;
};

// The commands: each measurement adds its own.
void add_step_bench(CLI::App& program);      // whole training steps
void add_kernels_bench(CLI::App& program);   // single kernels
void add_overhead_bench(CLI::App& program);  // what an op costs beside its arithmetic
void add_decode_bench(CLI::App& program);    // greedy and beam search
void add_generate_bench(CLI::App& program);  // text of a language model
void add_scaling_bench(CLI::App& program);   // attention over the sequence length
void add_heads_bench(CLI::App& program);     // what attention and its options cost
void add_ranks_bench(CLI::App& program);     // steps of several ranks
void add_multi30k_bench(CLI::App& program);  // quality over the time of a training

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
