#include "bench/multi30k.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "support/quality_curve.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

namespace {

struct Multi30kArguments {
  std::filesystem::path directory = "runs/multi30k";
  bool json = false;
};

void run(const Multi30kArguments& arguments) {
  const RunFiles files = find_run(arguments.directory);
  Report report({{.place = "/step", .title = "step"},
                 {.place = "/minutes", .title = "minutes", .decimals = 2},
                 {.place = "/loss", .title = "loss", .decimals = 4},
                 {.place = "/perplexity", .title = "perplexity", .decimals = 3},
                 {.place = "/token_accuracy", .title = "% tokens", .decimals = 2, .factor = 100},
                 {.place = "/bleu", .title = "BLEU", .decimals = 2},
                 {.place = "/chrf", .title = "chrF", .decimals = 2}},
                arguments.json);
  const auto points =
      quality_curve(read_file(files.metrics()), read_elapsed_seconds(files.checkpoints()));
  if (points.empty()) {
    throw DataError(
        fmt::format("{} has no evaluation of the validation split", files.metrics().string()));
  }
  for (const auto& point : points) {
    report.row(point);
  }
}

}  // namespace

void add_multi30k_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "multi30k",
      "Validation quality over the minutes of training, from a run that `./dev train "
      "configs/multi30k.yaml`, or any config, has left");
  const auto arguments = std::make_shared<Multi30kArguments>();
  command->add_option("run", arguments->directory, "The run's directory")->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
