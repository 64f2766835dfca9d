#include "bench/step.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/step_size.hpp"
#include "core/blas_kernels.hpp"
#include "core/draws.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/matrix_product.hpp"
#include "train/config/config.hpp"
#include "train/loss.hpp"
#include "train/trainer.hpp"

namespace tapehead {

namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::vector<std::string> sizes{"A", "B", "C", "D"};
  std::vector<Index> threads{1, 2};
  double seconds = 8;  // for the steps of one row
  bool json = false;
};

struct Row {
  std::string_view size;
  Index threads;
  Index shards;
  double best_ms;
  double median_ms;
  double tokens_per_second;
  double gflops;
  double sgemm_gflops;
  double mfu;
  double peak_memory_mb;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The best of several products of 1024 x 1024 matrices, by OpenBLAS and by our own kernel, in GF/s
// on one core.
double sgemm_rate() {
  constexpr Index n = 1024;
  const Tensor a = Tensor::full({n, n}, 1);
  const Tensor b = Tensor::full({n, n}, 1);
  Tensor c = Tensor::zeros({n, n});
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    for (const auto product : {&blas_product, &matrix_product}) {
      const auto begin = Clock::now();
      product(n, n, n, {a.data(), n}, {b.data(), n}, c.data(), n, false);
      best = std::max(best, 2.0 * n * n * n / seconds_since(begin) / 1e9);
    }
  }
  return best;
}

Batch random_batch(const StepSize& size) {
  const Draws draws(1, "bench.step", 0);
  Batch batch;
  const std::vector<Index> lengths(static_cast<std::size_t>(size.sequences), size.length);
  batch.source_segments = segments_of(lengths);
  batch.target_segments = segments_of(lengths);
  for (Index i = 0; i < size.tokens(); ++i) {
    const auto at = static_cast<std::uint64_t>(3 * i);
    batch.source.push_back(static_cast<TokenId>(draw_below(draws, at, size.vocabulary)));
    batch.target_input.push_back(static_cast<TokenId>(draw_below(draws, at + 1, size.vocabulary)));
    batch.target_output.push_back(static_cast<TokenId>(draw_below(draws, at + 2, size.vocabulary)));
  }
  for (Index i = 0; i < size.sequences; ++i) {
    batch.examples.push_back(i);
  }
  return batch;
}

// The most memory that the process has had resident, in MB.
double peak_memory_mb() {
  const std::string status = read_file("/proc/self/status");
  const std::size_t at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::stod(status.substr(at + 6)) * 1024 / 1e6;
}

Row measure(const StepSize& size, Index threads, double seconds) {
  ParameterStore store;
  const Transformer model(store.root(), size.model(), size.vocabulary, size.vocabulary);
  store.initialize(1);
  Workers workers(threads);
  TrainingOptions training;
  training.label_smoothing = 0.1;
  training.shards = automatic_shards(size.tokens());
  Trainer trainer(store, workers,
                  {.training = training, .seed = 1, .d_model = size.d_model, .total_steps = 0});
  const std::vector<Batch> batches{random_batch(size)};
  const auto step = [&] {
    trainer.step(batches, [&](Pass& pass, const Batch& shard) {
      return translation_loss(model, pass, shard, training.label_smoothing);
    });
  };
  double rate = sgemm_rate();
  step();
  std::vector<double> times;
  for (const auto begin = Clock::now(); times.size() < 5 || seconds_since(begin) < seconds;) {
    const auto start = Clock::now();
    step();
    times.push_back(seconds_since(start));
  }
  rate = std::max(rate, sgemm_rate());
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  const double gflops = size.flops() / median / 1e9;
  return {.size = size.name,
          .threads = threads,
          .shards = *training.shards,
          .best_ms = 1e3 * times.front(),
          .median_ms = 1e3 * median,
          .tokens_per_second = static_cast<double>(size.tokens()) / median,
          .gflops = gflops,
          .sgemm_gflops = rate,
          .mfu = gflops / (rate * static_cast<double>(threads)),
          .peak_memory_mb = peak_memory_mb()};
}

void print(const Row& row, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {
        {"size", row.size},       {"threads", row.threads},
        {"shards", row.shards},   {"ms", row.median_ms},
        {"best_ms", row.best_ms}, {"tokens_per_second", row.tokens_per_second},
        {"gflops", row.gflops},   {"sgemm_gflops", row.sgemm_gflops},
        {"mfu", row.mfu},         {"peak_memory_mb", row.peak_memory_mb}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print(
        "{:>4} {:>7} {:>6} {:>10.2f} {:>10.2f} {:>10.0f} {:>8.1f} {:>8.1f} {:>6.3f} {:>10.1f}\n",
        row.size, row.threads, row.shards, row.median_ms, row.best_ms, row.tokens_per_second,
        row.gflops, row.sgemm_gflops, row.mfu, row.peak_memory_mb);
  }
  std::fflush(stdout);
}

// Each row in a process of its own, so that its peak memory is its own.
void measure_apart(const StepSize& size, Index threads, const Arguments& arguments) {
  const pid_t child = fork();
  if (child < 0) {
    throw IoError("cannot start a process for a measurement");
  }
  if (child == 0) {
    prepare_blas();
    print(measure(size, threads, arguments.seconds), arguments.json);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) {
    throw IoError(fmt::format("the measurement of size {} failed", size.name));
  }
}

void run(const Arguments& arguments) {
  if (!arguments.json) {
    fmt::print("{:>4} {:>7} {:>6} {:>10} {:>10} {:>10} {:>8} {:>8} {:>6} {:>10}\n", "size",
               "threads", "shards", "median ms", "best ms", "tokens/s", "GF/s", "sgemm", "MFU",
               "memory MB");
    std::fflush(stdout);
  }
  for (const std::string& name : arguments.sizes) {
    const auto* const size = std::ranges::find(step_sizes, name, &StepSize::name);
    if (size == step_sizes.end()) {
      throw ConfigError(fmt::format("no size {}: there are A, B, C, D", name));
    }
    for (const Index threads : arguments.threads) {
      measure_apart(*size, threads, arguments);
    }
  }
}

}  // namespace

void add_step_bench(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("step",
                             "Whole training steps of an encoder-decoder model. MFU: the share of "
                             "the cores' sgemm rate (1024 x 1024) "
                             "that the step's matrix products reach");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("sizes", arguments->sizes, "Sizes to measure: A B C D")
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Worker threads, one or several counts")
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "Time for the steps of one row")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
