// tapehead describe: pages of the manual and completion for shells, for those who make packages.
#include "apps/commands.hpp"

namespace tapehead {

namespace {

struct DescribeArguments {
  std::string what;
  std::string command;
};

// The commands that the help lists. Of gradcheck the plain program knows no options: `declared` has
// them.
std::vector<const CLI::App*> listed_commands(const CLI::App& program, const CLI::App& declared) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* command : program.get_subcommands({})) {
    if (!command->get_group().empty()) {
      commands.push_back(command->get_name() == declared.get_name() ? &declared : command);
    }
  }
  return commands;
}

std::string described(const CLI::App& program, const DescribeArguments& arguments) {
  if (arguments.what != "man" && !arguments.command.empty()) {
    throw ConfigError(arguments.what + " completes all commands; only man takes one");
  }
  CLI::App gradcheck;
  GradcheckArguments unused;
  const auto commands = listed_commands(program, *declare_gradcheck(gradcheck, unused));
  if (arguments.what == "bash") {
    return bash_completion(commands);
  }
  if (arguments.what == "zsh") {
    return zsh_completion(commands);
  }
  if (arguments.command.empty()) {
    return man_page(program, commands);
  }
  for (const CLI::App* command : commands) {
    if (command->get_name() == arguments.command) {
      return man_page_of_command(*command);
    }
  }
  throw ConfigError("there is no command " + shown(arguments.command));
}

}  // namespace

const Command describe_command(210, [](CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("describe", "Print a page of the manual, or completion for a shell")
          ->group("");
  const auto arguments = std::make_shared<DescribeArguments>();
  command->add_option("what", arguments->what, "man, bash or zsh")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh"}));
  command->add_option("command", arguments->command, "Of man: the page of this command");
  command->callback([&program, arguments] { write_output(described(program, *arguments)); });
});

}  // namespace tapehead
