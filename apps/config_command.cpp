// tapehead config FILE: prints the resolved config with the origin of each value, or as JSON, or
// its schema.
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "train/config/config.hpp"

namespace tapehead {

namespace {

struct ConfigArguments {
  std::filesystem::path file;
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

}  // namespace tapehead
