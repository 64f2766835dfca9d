// tapehead_bench step and multi30k: the time of whole training steps by kind of op; and the quality
// of configs/multi30k.yaml over the time of its training.
#include <atomic>

#include "bench/measure.hpp"
#include "support/heap_count.hpp"
#include "support/quality_curve.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead {

namespace {

struct StepArguments {
  std::vector<std::string> subjects{"A", "B", "C", "D"};
  Overrides overrides;
  std::vector<Index> threads{1, 2};
  double seconds = 8;  // for the steps of one row
  bool json = false;
  bool check = false;
  bool precision = false;
};

// The time of steps by kind of op. Watches the tapes and counts the time between successive ops.
class OpTimes {
 public:
  // Wraps the loss of a shard so that the shard's tape is watched.
  LossFunction watched(const LossFunction& loss) {
    return [this, loss](Pass& pass, const Batch& shard) {
      pass.tape().watch([this, last = Clock::now()](const TapeEvent& event) mutable {
        const auto now = Clock::now();
        seconds_[kind_of(event.op)] += seconds_between(last, now);
        last_ = last = now;
      });
      return loss(pass, shard);
    };
  }

  // The time after the last op of all shards counts as the optimiser.
  void add_step(StepRun& run, const LossFunction& loss) {
    const auto begin = Clock::now();
    run.step(loss);
    const auto end = Clock::now();
    optimizer_ += seconds_between(last_, end);
    total_ += seconds_between(begin, end);
  }

  // Shares of the time of all threads. "other" is waiting, embeddings and time between shards.
  Json shares(Index threads) const {
    const double all = total_ * static_cast<double>(threads);
    Json shares;
    double rest = 1 - optimizer_ / total_;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      shares[kinds[kind]] = seconds_[kind] / all;
      rest -= seconds_[kind] / all;
    }
    shares["optimizer"] = optimizer_ / total_;
    shares["other"] = rest;
    return shares;
  }

 private:
  static constexpr std::array<const char*, 4> kinds{"linear", "attention", "norm_activation",
                                                    "loss"};

  static std::size_t kind_of(const std::string& op) {
    static const std::map<std::string, std::size_t> known{
        {"linear", 0},           {"attention", 1}, {"layer_norm", 2},
        {"rms_norm", 2},         {"residual", 2},  {"bias_activation", 2},
        {"gated_activation", 2}, {"dropout", 2},   {"cross_entropy", 3}};
    const auto kind = known.find(op);
    return kind == known.end() ? kinds.size() : kind->second;
  }

  std::array<std::atomic<double>, kinds.size() + 1> seconds_{};  // the last one: any other op
  std::atomic<Clock::time_point> last_{};  // the end of the last op of all shards
  double optimizer_ = 0;
  double total_ = 0;
};

// Takes steps for about `seconds`, in five rounds with an sgemm before and after each, so that a
// changing clock rate changes both. Then more steps count allocations and the shares of ops.
Json measure_steps(const StepSubject& subject, Index threads, double seconds) {
  constexpr std::size_t rounds = 5;
  StepRun run(subject, threads);
  std::vector<StepTime> steps;
  std::vector<double> sgemm;  // of each round: the better of before and after
  std::vector<double> mfu;    // of each round's median step
  double before = sgemm_rate();
  while (sgemm.size() < rounds) {
    const auto times = repeat(1, seconds / rounds, [&] { return run.step(); });
    const double after = sgemm_rate();
    sgemm.push_back(std::max(before, after));
    mfu.push_back(median(times, &StepTime::gflops) / sgemm.back() / static_cast<double>(threads));
    steps.insert(steps.end(), times.begin(), times.end());
    before = after;
  }
  Json row = {{"size", subject.name},
              {"threads", threads},
              {"shards", *subject.config.training.shards},
              {"ms", 1e3 * median(steps, &StepTime::seconds)},
              {"best_ms", 1e3 * std::ranges::min(steps, {}, &StepTime::seconds).seconds},
              {"steps", steps.size()},
              {"tokens_per_second", median(steps, &StepTime::tokens_per_second)},
              {"gflops", median(steps, &StepTime::gflops)},
              {"sgemm_gflops", median(sgemm)},
              {"mfu", median(mfu)},
              {"peak_memory_mb", peak_memory_mb()}};
  if (HeapCount::available) {
    const HeapCount count;
    for (int i = 0; i < 10; ++i) {
      run.step();
    }
    row["allocations_per_step"] = static_cast<double>(count.calls()) / 10;
  }
  OpTimes times;
  const LossFunction watched = times.watched(run.loss());
  repeat(5, seconds / 4, [&] { return times.add_step(run, watched), 0; });
  row["share"] = times.shares(threads);
  return row;
}

// Steps of both precisions in turns, in ten rounds, so that a changing clock rate changes both.
Json measure_precisions(const StepArguments& arguments, const std::string& name, Index threads) {
  constexpr std::size_t rounds = 10;
  const auto subject_in = [&](const std::string& precision) {
    Overrides overrides = arguments.overrides;
    overrides.push_back("training.precision=" + precision);
    return subject_named(name, overrides);
  };
  const StepSubject exact = subject_in("float32");
  const StepSubject rounded = subject_in("bfloat16");
  std::array<StepRun, 2> runs{StepRun(exact, threads), StepRun(rounded, threads)};
  std::array<std::vector<StepTime>, 2> best;
  while (best.back().size() < rounds) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto times = repeat(1, arguments.seconds / rounds / 2, [&] { return runs[i].step(); });
      best[i].push_back(std::ranges::min(times, {}, &StepTime::seconds));
    }
  }
  std::vector<double> ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    ratios.push_back(best[0][round].seconds / best[1][round].seconds);
  }
  const double unit = product_rate(product_unit());
  const double gflops = median(best[1], &StepTime::gflops);
  return {{"size", name},
          {"threads", threads},
          {"set", arguments.overrides},
          {"float32_ms", 1e3 * median(best[0], &StepTime::seconds)},
          {"bfloat16_ms", 1e3 * median(best[1], &StepTime::seconds)},
          {"ratio", median(ratios)},
          {"least", std::ranges::min(ratios)},
          {"most", std::ranges::max(ratios)},
          {"gflops", gflops},
          {"unit", product_unit().name},
          {"unit_gflops", unit},
          {"unit_share", gflops / unit / static_cast<double>(threads)}};
}

void run_precision_bench(const StepArguments& arguments) {
  Report table(arguments.json, {"size", "threads", "float32_ms", "bfloat16_ms", "ratio", "least",
                                "most", "gflops", "unit", "unit_gflops", "unit_share"});
  for (const std::string& name : arguments.subjects) {
    for (const Index threads : arguments.threads) {
      table.row(measure_apart([&] { return measure_precisions(arguments, name, threads); }));
    }
  }
}

// The utilisation below which something is wrong. Throws ConfigError if it is unknown.
double least_mfu(const std::string& subject, Index threads) {
  const StepSize* const size = size_named(subject);
  if (size == nullptr || threads < 1 || threads > std::ssize(size->least_mfu)) {
    throw ConfigError("--check knows the sizes A, B, C, D at 1 and 2 threads, not {} at {}",
                      subject, threads);
  }
  return size->least_mfu[static_cast<std::size_t>(threads - 1)];
}

void run_step_bench(const StepArguments& arguments) {
  if (arguments.precision) {
    run_precision_bench(arguments);
    return;
  }
  Report table(
      arguments.json,
      {"size", "threads", "shards", "ms", "best_ms", "tokens_per_second", "gflops", "sgemm_gflops",
       "mfu", "peak_memory_mb", "allocations_per_step", "share/linear", "share/attention",
       "share/norm_activation", "share/loss", "share/optimizer", "share/other"});
  std::string broken;
  for (const std::string& name : arguments.subjects) {
    for (const Index threads : arguments.threads) {
      const double least = arguments.check ? least_mfu(name, threads) : 0;
      Json row = measure_apart([&] {
        return measure_steps(subject_named(name, arguments.overrides), threads, arguments.seconds);
      });
      if (!arguments.overrides.empty()) {
        row["set"] = arguments.overrides;
      }
      table.row(row);
      const double mfu = row.at("mfu");
      if (mfu < least) {
        broken += fmt::format("\n  size {} by {} threads: MFU {:.3f}, and not {:.2f}", name,
                              threads, mfu, least);
      }
    }
  }
  if (!broken.empty()) {
    throw std::runtime_error("something is broken, or the machine is busy:" + broken);
  }
}

struct Multi30kArguments {
  fs::path directory = "runs/multi30k";
  bool json = false;
};

void run_multi30k_bench(const Multi30kArguments& arguments) {
  const RunFiles files = find_run(arguments.directory);
  Report table(arguments.json,
               {"step", "minutes", "loss", "perplexity", "token_accuracy", "bleu", "chrf"});
  const auto points =
      quality_curve(read_file(files.metrics()), read_elapsed_seconds(files.checkpoints()));
  if (points.empty()) {
    throw DataError(files.metrics().string() + " has no evaluation of the validation split");
  }
  std::ranges::for_each(points, [&](const Json& point) { table.row(point); });
}

}  // namespace

const Command step_bench(20, [](CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "step",
      "Whole training steps of an encoder-decoder model or a language model. MFU: the share of the "
      "cores' sgemm rate (1024 x 1024) that the step's matrix products reach, counting all pairs "
      "of attention, whatever the pattern; share: of the threads' time",
      run_step_bench);
  command.add_option("subjects", arguments.subjects,
                     "Sizes A B C D, lm (a language model), or config files");
  auto* set = add_repeated_option(
      command, "--set", arguments.overrides,
      "section.option=value: changes an option of all subjects; may be repeated");
  command.add_option("--threads", arguments.threads, "Worker threads, one or several counts")
      ->check(CLI::PositiveNumber);
  command.add_option("--seconds", arguments.seconds, "Time for the steps of one row");
  command
      .add_flag("--check", arguments.check,
                "Fail where a size's MFU is so low that something is broken")
      ->excludes(set);
  command
      .add_flag("--precision", arguments.precision,
                "Measure float32 and bfloat16 in turns. ratio: time of a step in float32 over the "
                "time in bfloat16; unit_share: rate of all products of a step, with attention, "
                "over the rate of the kernel for bfloat16 in the caches")
      ->excludes("--check");
});

const Command multi30k_bench(60, [](CLI::App& program) {
  const auto [command, arguments] =
      add_bench(program, "multi30k",
                "Validation quality over the minutes of training, from a run that `./dev train "
                "configs/multi30k.yaml`, or any config, has left",
                run_multi30k_bench);
  command.add_option("run", arguments.directory, "The run's directory");
});

}  // namespace tapehead
