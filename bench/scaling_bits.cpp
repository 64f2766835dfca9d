// The bits of trained weights over the threads, and through a stop and a resume.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/apart.hpp"
#include "bench/report.hpp"
#include "bench/scaling.hpp"
#include "core/clock.hpp"
#include "core/files/files.hpp"
#include "core/files/hash.hpp"
#include "train/loop/training.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;

// A stretch of a run: up to which step, by how many threads.
struct Stretch {
  Index steps;
  Index threads;
};

// What the order of work could show in: numbers are dropped, a step has two batches, and their
// parts are fewer than some threads and more than others. The schedule does not know the end, and
// checkpoints, which also keep what evaluations found, come at the same steps whatever the end is.
std::vector<std::string> overrides_until(Index steps, Index every) {
  const std::string last = std::to_string(steps);
  const std::string regular = std::to_string(every);
  return {"training.steps=" + last,      "training.checkpoint_every=" + regular,
          "training.schedule=constant",  "training.warmup=0",
          "training.accumulate=2",       "training.shards=5",
          "training.average_last=0",     "model.dropout=0.1",
          "evaluation.every=" + regular, "evaluation.decode=false",
          "evaluation.metric=loss"};
}

// A directory that goes with its owner.
class Directory {
 public:
  Directory() : path_(fs::temp_directory_path() / ("tapehead-bits-" + std::to_string(getpid()))) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Trains stretch after stretch. The hash is that of the last checkpoint: weights, the optimiser's
// state, and the place in the data.
nlohmann::ordered_json hash_of(const fs::path& path, const std::vector<Stretch>& stretches) {
  const Index steps = stretches.back().steps;
  spdlog::set_level(spdlog::level::warn);
  const Directory directory;
  const auto begin = Clock::now();
  std::string threads;
  for (const Stretch& stretch : stretches) {
    train({.config = path,
           .run = directory.path(),
           .overrides = overrides_until(stretch.steps, steps / 2),
           .resume = !threads.empty(),
           .threads = stretch.threads});
    threads += (threads.empty() ? "" : " then ") + std::to_string(stretch.threads);
  }
  const Checkpoints kept(RunFiles{directory.path()}.checkpoints(), "step");
  return {{"config", path.string()},
          {"steps", steps},
          {"threads", threads},
          {"seconds", seconds_since(begin)},
          {"weights", Hash().add(read_file(kept.file(steps))).hexadecimal()}};
}

}  // namespace

void scale_bits(const ScalingOptions& options) {
  const Index steps = options.quick ? 2 : 200;
  std::vector<std::vector<Stretch>> runs;
  for (const Index threads :
       options.quick ? std::vector<Index>{1, 2} : std::vector<Index>{1, 2, 3, 4, 8}) {
    runs.push_back({{.steps = steps, .threads = threads}});
  }
  runs.push_back({{.steps = steps / 2, .threads = 3}, {.steps = steps, .threads = 8}});
  Report report({{.place = "/config", .title = "config"},
                 {.place = "/steps", .title = "steps"},
                 {.place = "/threads", .title = "threads"},
                 {.place = "/seconds", .title = "seconds", .decimals = 2},
                 {.place = "/weights", .title = "weights", .width = 16}},
                options.json);
  for (const fs::path& config : options.configs) {
    nlohmann::ordered_json first;
    for (const std::vector<Stretch>& stretches : runs) {
      const auto row = measure_apart([&] { return hash_of(config, stretches); });
      first = first.is_null() ? row : first;
      report.row(row);
      if (row.at("weights") != first.at("weights")) {
        throw std::runtime_error(config.string() + ": the weights differ from those of 1 thread");
      }
    }
  }
}

}  // namespace tapehead
