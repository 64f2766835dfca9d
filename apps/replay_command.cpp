// tapehead replay FILE: repeats the training step that met a number that is not finite.

#include "apps/commands.hpp"
#include "train/loop/replay.hpp"

namespace tapehead {

namespace {

struct ReplayArguments {
  fs::path file;
  Index threads = default_threads();
  bool json = false;
};

int replay(const ReplayArguments& arguments) {
  InputFiles inputs;
  inputs.add(arguments.file);
  expect_output_apart(inputs);
  prepare_blas(arguments.threads);
  const Replayed replayed = replay_step(arguments.file, arguments.threads);
  const Json json = {{"clean", replayed.clean}, {"message", replayed.message}};
  write_output(fmt::format("{}\n", arguments.json ? json.dump() : replayed.message));
  return replayed.clean ? 0 : 1;
}

}  // namespace

const Command replay_command(190, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ReplayArguments>(
      program, "replay",
      "Repeat the step that stopped a training, and say where the first NaN or infinity came from",
      replay);
  command.add_option("file", arguments.file, "replay.safetensors of the run's directory")
      ->required();
  add_threads_option(command, arguments.threads);
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
