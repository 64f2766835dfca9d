// The common parts of the benchmarks: commands, timing, measuring in a separate process, tables;
// and the training steps that are measured.
#pragma once

#include "apps/commands.hpp"
#include "core/files/process.hpp"
#include "core/tape/tensor.hpp"
#include "train/model_training.hpp"

namespace tapehead {

// Adds a command that calls `run` with its arguments. `Arguments` has a member `json`.
template <class Arguments>
auto add_bench(CLI::App& program, const char* name, const char* help,
               void (*run)(const Arguments&)) {
  const auto added = add_command<Arguments>(program, name, help, run);
  added.first.option_defaults()->always_capture_default();
  added.first.add_flag("--json", added.second.json, "One JSON object a line");
  return added;
}

double seconds_of(const auto& work) {
  const auto begin = Clock::now();
  work();
  return seconds_since(begin);
}

// The results of at least `fewest` calls of `once`, and of as many as fit into `seconds`.
auto repeat(std::size_t fewest, double seconds, const auto& once) {
  std::vector<decltype(once())> results;
  const auto begin = Clock::now();
  while (results.size() < fewest || seconds_since(begin) < seconds) {
    results.push_back(once());
  }
  return results;
}

// The median of the numbers that `number` gives for the results.
template <class Results, class Number = std::identity>
double median(const Results& results, const Number& number = {}) {
  std::vector<double> numbers = mapped(results, number);
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

// The result of `measure` in a new process, with memory and pool of its own. Must be called while
// there are no other threads.
Json measure_apart(const std::function<Json()>& measure);

// The peak resident memory of this process, in MB (1e6 bytes).
double peak_memory_mb();

// The best rate of products (rows, depth) (depth, columns)ᵀ on one core, by OpenBLAS or our own
// kernel, in GF/s. Model FLOP utilisation is relative to the rate of 1024 x 1024 matrices.
double sgemm_rate(Index rows = 1024, Index columns = 1024, Index depth = 1024);

// The rate of a copy larger than the caches, in GB/s (1e9 bytes); counts bytes read and written.
double copy_rate();

// Varied numbers between -1 and 1.
Tensor varied_numbers(const Shape& shape);

// Prints results as a readable table or as one JSON object per line.
class Report {
 public:
  // `columns`: the members of a row that the table shows, such as "ms" or "share/linear". `width`
  // is the width of the first column, which has texts.
  Report(bool json, std::vector<std::string> columns, std::size_t width = 7)
      : json_(json), columns_(std::move(columns)), width_(width) {}

  // Prints the row at once, because a measurement takes long. The table shows four digits, and "-"
  // for missing values.
  void row(const Json& values);

 private:
  bool json_;
  std::vector<std::string> columns_;
  std::size_t width_;
  bool has_header_ = false;
};

struct StepSize {
  std::string_view name;
  Index vocabulary;
  Index d_model;
  Index heads;
  Index d_ff;
  Index layers;
  Index sequences;
  Index length;  // of each source and each target
  // `step --check` fails below this model FLOP utilisation with 1 and with 2 threads.
  std::array<double, 2> least_mfu;

  Index tokens() const { return sequences * length; }  // target tokens; as many source tokens
};

inline constexpr std::array<StepSize, 4> step_sizes{{
    {"A", 32, 64, 4, 256, 2, 64, 16, {0.50, 0.45}},
    {"B", 1000, 128, 4, 512, 2, 64, 32, {0.65, 0.60}},
    {"C", 8000, 256, 8, 1024, 3, 32, 64, {0.72, 0.70}},
    {"D", 8000, 512, 8, 2048, 6, 16, 64, {0.78, 0.75}},
}};

// Null if no size has this name.
const StepSize* size_named(const std::string& name);

struct StepSubject {
  std::string name;
  Config config;  // resolved
  Index source_vocabulary;
  Index target_vocabulary;
  std::vector<std::vector<Batch>> steps;  // the batches of each step, used in turn
};

// Changed options of a config, each "section.option=value".
using Overrides = std::vector<std::string>;

// Random tokens in sequences of equal length. Throws ConfigError for invalid overrides.
StepSubject subject_of(const StepSize& size, const Overrides& overrides = {});

// `name` is a size; "lm", nanoGPT's model for CPUs as in configs/shakespeare.yaml, on windows of
// random tokens; or the path of a config, for the first steps of its first epoch on its own task.
// Throws ConfigError, and what reading the config and making its data throws.
StepSubject subject_named(const std::string& name, const Overrides& overrides = {});

// The time and the work of a step. The work counts all pairs of attention, whatever the pattern,
// like published figures of MFU.
struct StepTime {
  double seconds = 0;
  double tokens = 0;  // target tokens
  double flops = 0;

  double tokens_per_second() const { return tokens / seconds; }
  double gflops() const { return flops / seconds / 1e9; }
};

class StepRun {
 public:
  // `subject` must outlive this object. Makes the first step, which allocates the memory that later
  // steps reuse.
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
  std::vector<StepTime> work_;  // work of each step of the subject, without its time
  std::size_t next_ = 0;
};

}  // namespace tapehead
