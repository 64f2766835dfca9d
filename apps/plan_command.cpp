// tapehead plan CONFIG: estimates a training's memory and time before it starts.

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "datasets/make_task.hpp"
#include "train/config/config.hpp"
#include "train/loop/initial_weights.hpp"
#include "train/model_training.hpp"
#include "train/output/logging.hpp"
#include "train/plan/plan_report.hpp"

namespace tapehead {

namespace {

struct PlanArguments {
  std::filesystem::path config;
  std::vector<std::string> overrides;
  Index threads = default_threads();
  bool json = false;
};

void plan(const PlanArguments& arguments) {
  const LoadedConfig loaded = load_config(arguments.config, arguments.overrides);
  check_frozen(loaded);
  const Config& config = loaded.config;
  expect_output_apart(inputs_of_config(loaded));
  const auto console = std::make_shared<Console>();
  start_logging(console);
  prepare_blas(arguments.threads);
  const Task task = make_task(config, find_config_data(arguments.config, config.task));
  std::ranges::for_each(task.splits, say_unknown);
  const RunPlan run = plan_run(config, task);
  say_copied_heads(config.model);
  check_initial_weights(config, task);
  const Rehearsal rehearsal =
      rehearse(config, task, arguments.threads, [&](const char* what) { console->live(what); });
  console->live("");
  const PlanFacts facts{.config = arguments.config.string(),
                        .options = config,
                        .run = run,
                        .threads = arguments.threads,
                        .rehearsal = rehearsal};
  write_output(fmt::format("{}\n", arguments.json ? plan_json(facts).dump(2) : plan_table(facts)));
}

}  // namespace

const Command plan_command(20, [](CLI::App& program) {
  const auto [command, arguments] = add_command<PlanArguments>(
      program, "plan",
      "Estimate a training before it starts: parameters, arithmetic, memory and time", plan);
  command.add_option("config", arguments.config, "Config file, YAML or JSON")->required();
  add_set_option(command, arguments.overrides);
  add_threads_option(command, arguments.threads);
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
