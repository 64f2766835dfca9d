// tapehead config FILE: prints the resolved config with the origin of each value or as JSON, or the
// schema of configs.
// tapehead plan CONFIG: estimates a training's memory and time before it starts.
#include "apps/commands.hpp"
#include "train/loop/initial_weights.hpp"
#include "train/model_training.hpp"
#include "train/output/logging.hpp"
#include "train/plan/plan_report.hpp"

namespace tapehead {

namespace {

struct ConfigArguments {
  fs::path file;
  std::vector<std::string> overrides;
  bool json = false;
  bool schema = false;
  bool reference = false;
};

void show_config(const ConfigArguments& arguments) {
  if (arguments.schema) {
    write_output(fmt::format("{}\n", config_schema()));
  } else if (arguments.reference) {
    write_output(config_reference());
  } else if (arguments.file.empty()) {
    throw ConfigError("expected a config file, --schema or --reference");
  } else {
    const LoadedConfig loaded = load_chosen(arguments.file, arguments.overrides);
    InputFiles inputs;
    inputs.add(loaded.files);
    expect_output_apart(inputs);
    write_output(arguments.json ? config_json(loaded.config) + '\n'
                                : dump_config_with_origins(loaded));
  }
}

struct PlanArguments {
  fs::path config;
  std::vector<std::string> overrides;
  Index threads = default_threads();
  bool json = false;
};

void plan(const PlanArguments& arguments) {
  const LoadedConfig loaded = load_config(arguments.config, arguments.overrides);
  check_frozen(loaded);
  const Config& config = loaded.config;
  expect_output_apart(inputs_of_config(loaded));
  const auto console = start_logging();
  prepare_blas(arguments.threads);
  const Task task = make_task(config, find_config_data(arguments.config, config.task));
  std::ranges::for_each(task.splits, say_unknown);
  const RunPlan run = plan_run(config, task);
  say_copied_heads(config.model);
  say_slow_products(config.training.precision);
  check_initial_weights(config, task);
  const Rehearsal rehearsal = rehearse(config, task, run, arguments.threads,
                                       [&](const char* what) { console->live(what); });
  console->live("");
  const PlanFacts facts{.config = arguments.config.string(),
                        .options = config,
                        .run = run,
                        .threads = arguments.threads,
                        .rehearsal = rehearsal};
  write_output(fmt::format("{}\n", arguments.json ? plan_json(facts).dump(2) : plan_table(facts)));
}

}  // namespace

const Command config_command(170, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ConfigArguments>(
      program, "config", "Show a config with every option and where its value came from",
      show_config);
  auto* file = command.add_option("file", arguments.file, "Config file, YAML or JSON");
  add_set_option(command, arguments.overrides);
  auto* json = command.add_flag("--json", arguments.json,
                                "Print the resolved config as one JSON object, without origins");
  auto* schema = command.add_flag("--schema", arguments.schema, "Print the JSON Schema of configs")
                     ->excludes(file)
                     ->excludes("--set")
                     ->excludes(json);
  command
      .add_flag("--reference", arguments.reference,
                "Print the reference of all options, as docs/config.md")
      ->excludes(file)
      ->excludes("--set")
      ->excludes(json)
      ->excludes(schema);
});

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
