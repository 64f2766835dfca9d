#include "bench/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/apart.hpp"
#include "bench/report.hpp"
#include "bench/step_run.hpp"
#include "core/errors.hpp"

namespace tapehead {

namespace {

struct StepArguments {
  std::vector<std::string> subjects{"A", "B", "C", "D"};
  Overrides overrides;
  std::vector<Index> threads{1, 2};
  double seconds = 8;  // for the steps of one row
  bool json = false;
  bool check = false;
};

// The utilisation below which something is broken. Throws ConfigError where none is known.
double least_mfu(const std::string& subject, Index threads) {
  const StepSize* const size = size_named(subject);
  if (size == nullptr || threads < 1 || threads > static_cast<Index>(size->least_mfu.size())) {
    throw ConfigError(fmt::format(
        "--check knows the sizes A, B, C, D at 1 and 2 threads, not {} at {}", subject, threads));
  }
  return size->least_mfu[static_cast<std::size_t>(threads - 1)];
}

Report step_table(bool json) {
  return Report({{.place = "/size", .title = "size"},
                 {.place = "/threads", .title = "threads"},
                 {.place = "/shards", .title = "shards"},
                 {.place = "/ms", .title = "median ms", .decimals = 2},
                 {.place = "/best_ms", .title = "best ms", .decimals = 2},
                 {.place = "/tokens_per_second", .title = "tokens/s"},
                 {.place = "/gflops", .title = "GF/s", .decimals = 1},
                 {.place = "/sgemm_gflops", .title = "sgemm", .decimals = 1},
                 {.place = "/mfu", .title = "MFU", .decimals = 3},
                 {.place = "/peak_memory_mb", .title = "memory MB", .decimals = 1},
                 {.place = "/allocations_per_step", .title = "allocations"},
                 {.place = "/share/linear", .title = "% linear", .factor = 100},
                 {.place = "/share/attention", .title = "attention", .factor = 100},
                 {.place = "/share/norm_activation", .title = "norm + act.", .factor = 100},
                 {.place = "/share/loss", .title = "loss", .factor = 100},
                 {.place = "/share/optimizer", .title = "optimiser", .factor = 100},
                 {.place = "/share/other", .title = "other", .factor = 100}},
                json);
}

void run(const StepArguments& arguments) {
  if (arguments.check) {
    for (const std::string& name : arguments.subjects) {
      std::ranges::for_each(arguments.threads, [&](Index threads) { least_mfu(name, threads); });
    }
  }
  Report rows = step_table(arguments.json);
  std::string broken;
  for (const std::string& name : arguments.subjects) {
    for (const Index threads : arguments.threads) {
      auto row = measure_apart([&] {
        const StepSubject subject = subject_named(name, arguments.overrides);
        return measure_steps(subject, threads, arguments.seconds);
      });
      if (!arguments.overrides.empty()) {
        row["set"] = arguments.overrides;
      }
      rows.row(row);
      const double mfu = row.at("mfu").get<double>();
      if (arguments.check && mfu < least_mfu(name, threads)) {
        broken += fmt::format("\n  size {} by {} threads: MFU {:.3f}, and not {:.2f}", name,
                              threads, mfu, least_mfu(name, threads));
      }
    }
  }
  if (!broken.empty()) {
    throw std::runtime_error("something is broken, or the machine is busy:" + broken);
  }
}

}  // namespace

void add_step_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "step",
      "Whole training steps of an encoder-decoder model or a language model. MFU: the share of the "
      "cores' sgemm rate (1024 x 1024) that the step's matrix products reach, counting all pairs "
      "of "
      "attention, whatever the pattern; %: of the threads' time");
  const auto arguments = std::make_shared<StepArguments>();
  command
      ->add_option("subjects", arguments->subjects,
                   "Sizes A B C D, lm (a language model), or config files")
      ->capture_default_str();
  auto* set =
      command
          ->add_option("--set", arguments->overrides,
                       "section.option=value: changes an option of all subjects; may be repeated")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false);
  command->add_option("--threads", arguments->threads, "Worker threads, one or several counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "Time for the steps of one row")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command
      ->add_flag("--check", arguments->check,
                 "Fail where a size's MFU is so low that something is broken")
      ->excludes(set);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
