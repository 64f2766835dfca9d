#include "bench/step_run.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/apart.hpp"
#include "bench/machine_rates.hpp"
#include "bench/op_times.hpp"
#include "core/clock.hpp"
#include "core/files/hash.hpp"
#include "support/heap_count.hpp"
#include "train/model_training.hpp"
#include "train/plan/step_flops.hpp"

namespace tapehead {

namespace {

constexpr int round_count = 5;
constexpr std::size_t fewest_steps = 5;
constexpr Index counted_steps = 10;

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

// What each step took and did.
struct Times {
  std::vector<double> seconds;
  std::vector<double> tokens_per_second;
  std::vector<double> flops_per_second;

  void add(const Times& others) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(seconds, others.seconds);
    append(tokens_per_second, others.tokens_per_second);
    append(flops_per_second, others.flops_per_second);
  }
};

// All pairs count, whatever the pattern, as in published figures of MFU.
double flops_of(const StepSubject& subject, const Batch& batch) {
  return step_flops(subject.config.model, subject.target_vocabulary,
                    rows_of(batch, subject.config.training.memory), CountedPairs::all);
}

class StepRun {
 public:
  StepRun(const StepSubject& subject, Index threads, Ranks& ranks = alone())
      : subject_(subject),
        model_(subject.config, subject.source_vocabulary, subject.target_vocabulary),
        workers_(threads),
        loss_(training_loss(model_, subject.config)),
        trainer_(trainer_of(model_, subject.config, workers_, 0, ranks)) {}

  Times time(double seconds);
  Index step() { return trainer_.step(next_batches(), loss_).tokens; }  // of targets
  double allocations_per_step();
  nlohmann::ordered_json shares(double seconds);
  const ParameterStore& store() const { return model_.store; }
  double bytes_sent() const { return trainer_.bytes_sent(); }

 private:
  const std::vector<Batch>& next_batches() {
    return subject_.steps[next_++ % subject_.steps.size()];
  }

  const StepSubject& subject_;
  Model model_;
  Workers workers_;
  LossFunction loss_;
  Trainer trainer_;
  std::size_t next_ = 0;
};

// Of one step at least.
Times StepRun::time(double seconds) {
  Times times;
  const auto begin = Clock::now();
  do {
    const std::vector<Batch>& batches = next_batches();
    const auto start = Clock::now();
    trainer_.step(batches, loss_);
    const double took = seconds_since(start);
    double tokens = 0;
    double flops = 0;
    for (const Batch& batch : batches) {
      tokens += static_cast<double>(batch.labels.count());
      flops += flops_of(subject_, batch);
    }
    times.seconds.push_back(took);
    times.tokens_per_second.push_back(tokens / took);
    times.flops_per_second.push_back(flops / took);
  } while (seconds_since(begin) < seconds);
  return times;
}

double StepRun::allocations_per_step() {
  const HeapCount count;
  for (Index i = 0; i < counted_steps; ++i) {
    step();
  }
  return static_cast<double>(count.calls()) / static_cast<double>(counted_steps);
}

nlohmann::ordered_json StepRun::shares(double seconds) {
  OpTimes times;
  const LossFunction watched = [&](Pass& pass, const Batch& shard) {
    times.watch(pass.tape());
    return loss_(pass, shard);
  };
  std::size_t steps = 0;
  for (const auto begin = Clock::now(); steps < fewest_steps || seconds_since(begin) < seconds;
       ++steps) {
    const auto start = Clock::now();
    trainer_.step(next_batches(), watched);
    times.finish_step(start, Clock::now(), workers_.threads());
  }
  return times.shares();
}

struct Rounds {
  Times steps;
  std::vector<double> sgemm;  // of each round: the better of before and after
  std::vector<double> mfu;
};

// Steps and sgemm in turns, so that a clock that changes changes both.
Rounds run_rounds(StepRun& run, Index threads, double seconds) {
  Rounds rounds;
  double before = sgemm_rate();
  for (int i = 0; i < round_count; ++i) {
    const Times times = run.time(seconds / round_count);
    const double after = sgemm_rate();
    const double rate = std::max(before, after);
    rounds.steps.add(times);
    rounds.sgemm.push_back(rate);
    rounds.mfu.push_back(median(times.flops_per_second) / 1e9 /
                         (rate * static_cast<double>(threads)));
    before = after;
  }
  return rounds;
}

// Of the parameters alone: what lies between them in the store's memory is nobody's.
std::string hash_of_bits(const ParameterStore& store) {
  Hash hash;
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor value = store.value(parameter);
    const auto bytes = std::as_bytes(value.values());
    hash.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  return hash.hexadecimal();
}

}  // namespace

nlohmann::ordered_json run_steps(const StepSubject& subject, Index threads, Index steps,
                                 Ranks& ranks) {
  StepRun run(subject, threads, ranks);
  run.step();
  const auto begin = Clock::now();
  double tokens = 0;
  for (Index i = 0; i < steps; ++i) {
    tokens += static_cast<double>(run.step());
  }
  const double seconds = seconds_since(begin);
  return {{"size", subject.name},
          {"ranks", ranks.count()},
          {"threads", threads},
          {"steps", steps},
          {"seconds", seconds},
          {"tokens_per_second", tokens / seconds},
          {"bytes_sent", run.bytes_sent()},
          {"peak_memory_mb", peak_memory_mb()},
          {"weights", hash_of_bits(run.store())}};
}

nlohmann::ordered_json measure_steps(const StepSubject& subject, Index threads, double seconds) {
  StepRun run(subject, threads);
  run.step();  // takes the memory that later steps keep
  const Rounds rounds = run_rounds(run, threads, seconds);
  const double memory = peak_memory_mb();
  nlohmann::ordered_json row = {
      {"size", subject.name},
      {"threads", threads},
      {"shards", *subject.config.training.shards},
      {"ms", 1e3 * median(rounds.steps.seconds)},
      {"best_ms", 1e3 * std::ranges::min(rounds.steps.seconds)},
      {"steps", rounds.steps.seconds.size()},
      {"tokens_per_second", median(rounds.steps.tokens_per_second)},
      {"gflops", median(rounds.steps.flops_per_second) / 1e9},
      {"sgemm_gflops", median(rounds.sgemm)},
      {"mfu", median(rounds.mfu)},
      {"peak_memory_mb", memory},
  };
  if (HeapCount::available) {
    row["allocations_per_step"] = run.allocations_per_step();
  }
  row["share"] = run.shares(seconds / 4);
  return row;
}

std::vector<nlohmann::ordered_json> compare_steps(const std::vector<StepSubject>& subjects,
                                                  Index threads, double seconds) {
  std::vector<std::unique_ptr<StepRun>> runs;
  for (const StepSubject& subject : subjects) {
    runs.push_back(std::make_unique<StepRun>(subject, threads));
    runs.back()->step();
  }
  std::vector<std::vector<double>> times(subjects.size());
  for (const auto begin = Clock::now();
       times.back().size() < fewest_steps || seconds_since(begin) < seconds;) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto start = Clock::now();
      runs[i]->step();
      times[i].push_back(seconds_since(start));
    }
  }
  const auto last_flops = [](const StepSubject& subject) {
    return flops_of(subject, subject.steps.back().front());
  };
  std::vector<nlohmann::ordered_json> rows;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const double time = median(times[i]) / median(times[0]);
    const double work = last_flops(subjects[i]) / last_flops(subjects[0]);
    rows.push_back({{"options", subjects[i].name},
                    {"threads", threads},
                    {"ms", 1e3 * median(times[i])},
                    {"multiply_adds", last_flops(subjects[i]) / 2},
                    {"time_ratio", time},
                    {"time_ratio_per_multiply_add", time / work}});
  }
  return rows;
}

}  // namespace tapehead
