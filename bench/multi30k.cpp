// tapehead_bench multi30k: how good the translation of configs/multi30k.yaml is after how long.
#include "bench/measure.hpp"
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

void add_multi30k_bench(CLI::App& program) {
  const auto [command, arguments] =
      add_bench(program, "multi30k",
                "Validation quality over the minutes of training, from a run that `./dev train "
                "configs/multi30k.yaml`, or any config, has left",
                run_multi30k_bench);
  command.add_option("run", arguments.directory, "The run's directory");
}

}  // namespace tapehead
