// Training steps over the number of threads and over the vocabulary.
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/apart.hpp"
#include "bench/report.hpp"
#include "bench/scaling.hpp"
#include "bench/step_run.hpp"

namespace tapehead {

namespace {

// Size B, or A where it has to be quick.
const StepSize& size_for(const ScalingOptions& options) {
  return step_sizes[options.quick ? 0 : 1];
}

// More parts of a batch than there are by default, so that many threads have work.
StepSubject with_shards(const StepSize& size, Index shards) {
  StepSubject subject = subject_of(size);
  subject.config.training.shards = shards;
  return subject;
}

}  // namespace

void scale_threads(const ScalingOptions& options) {
  const std::vector<Index> counts =
      options.quick ? std::vector<Index>{1, 2} : std::vector<Index>{1, 2, 4, 8};
  const Index steps = options.quick ? 1 : 20;
  const StepSubject subject = with_shards(size_for(options), 8);
  Report report({{.place = "/size", .title = "size"},
                 {.place = "/threads", .title = "threads"},
                 {.place = "/steps", .title = "steps"},
                 {.place = "/seconds", .title = "seconds", .decimals = 2},
                 {.place = "/tokens_per_second", .title = "tokens/s"},
                 {.place = "/speed_up", .title = "speed-up", .decimals = 2},
                 {.place = "/weights", .title = "weights", .width = 16}},
                options.json);
  nlohmann::ordered_json first;
  for (const Index threads : counts) {
    auto row = measure_apart([&] { return run_steps(subject, threads, steps); });
    first = first.is_null() ? row : first;
    row["speed_up"] = first.at("seconds").get<double>() / row.at("seconds").get<double>();
    report.row(row);
    if (row.at("weights") != first.at("weights")) {
      throw std::runtime_error("the weights differ from those of " + first.at("threads").dump() +
                               " thread");
    }
  }
}

void scale_vocabulary(const ScalingOptions& options) {
  Report report({{.place = "/size", .title = "size"},
                 {.place = "/vocabulary", .title = "vocabulary"},
                 {.place = "/ms", .title = "median ms", .decimals = 1},
                 {.place = "/tokens_per_second", .title = "tokens/s"},
                 {.place = "/gflops", .title = "GF/s", .decimals = 1},
                 {.place = "/mfu", .title = "MFU", .decimals = 3},
                 {.place = "/share/linear", .title = "% linear", .factor = 100},
                 {.place = "/share/loss", .title = "loss", .factor = 100},
                 {.place = "/share/optimizer", .title = "optimiser", .factor = 100},
                 {.place = "/peak_memory_mb", .title = "memory MB", .decimals = 1}},
                options.json);
  for (const Index vocabulary :
       options.quick ? std::vector<Index>{100} : std::vector<Index>{1000, 4000, 16000, 32000}) {
    StepSize size = size_for(options);
    size.vocabulary = vocabulary;
    auto row =
        measure_apart([&] { return measure_steps(subject_of(size), 1, options.quick ? 0 : 4); });
    row["vocabulary"] = vocabulary;
    report.row(row);
  }
}

}  // namespace tapehead
