// The commands of the program. Each is a file of its own, which declares its options and its
// function; no list names them. Pages of the manual and completion in a shell are made of these
// declarations.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/launch.hpp"
#include "train/run/data.hpp"

namespace tapehead {

// The function of a command stores the program's exit code here.
struct Outcome {
  int exit_code = 0;
};

// --set, for every command that takes a config.
inline void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides,
                  "section.option=value: changes an option of the config; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

// --checkpoint, for every command that uses a trained run.
inline void add_checkpoint_option(CLI::App& command, std::string& checkpoint) {
  command.add_option(
      "--checkpoint", checkpoint,
      "best, last, average or a file; by default the average where there is one, else the best");
}

// --data, for every command that reads the data of a run.
inline CLI::Option* add_data_option(CLI::App& command, DataChoice& data) {
  return command.add_option(
      "--data", data.directory,
      "Directory that holds the run's data files; by default where they were");
}

// --other-data, for commands that only measure.
inline void add_other_data_option(CLI::App& command, DataChoice& data) {
  command.add_flag("--other-data", data.other,
                   "Use data that the run was not trained with; changed files need --data, too");
}

// A command: its file has one, which adds it to the program. `place`: in the order of the help.
class Command {
 public:
  using Add = void (*)(CLI::App& program, Outcome& outcome, Launch& launch);
  Command(int place, Add add);
};

// Adds all commands that are linked into the program.
void add_commands(CLI::App& program, Outcome& outcome, Launch& launch);

// tapehead(1), in the macros of man(7).
std::string man_page(const CLI::App& program, const std::vector<const CLI::App*>& commands);

// tapehead-train(1) and so on.
std::string man_page_of_command(const CLI::App& command);

// Scripts that bash and zsh load.
std::string bash_completion(const std::vector<const CLI::App*>& commands);
std::string zsh_completion(const std::vector<const CLI::App*>& commands);

}  // namespace tapehead
