#include "apps/gradcheck_options.hpp"

#include "apps/commands.hpp"
#include "apps/number_option.hpp"

namespace tapehead {

CLI::App* declare_gradcheck(CLI::App& program, GradcheckArguments& arguments) {
  CLI::App* command =
      program.add_subcommand("gradcheck", "Check the gradients of a config's model");
  command->add_option("config", arguments.config, "Config file, YAML or JSON")->required();
  add_set_option(*command, arguments.overrides);
  command->add_option("--only", arguments.only,
                      "Only the parameters with such names, as \"decoder.*\"");
  add_number_option(*command, {.name = "--seed", .help = "Chooses the random directions"},
                    &arguments.seed);
  command->add_flag("--json", arguments.json, "One JSON object on standard output");
  return command;
}

}  // namespace tapehead
