// The commands of the program. Each command's file declares its options and its function and
// registers itself; there is no central list. Manual pages and shell completion come from these
// declarations. Also includes what nearly every command uses.
#pragma once

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "apps/launch.hpp"
#include "core/option_rows.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/text.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/data.hpp"

namespace tapehead {

// Adds a command that calls `run` with the arguments that its options set and, if `run` takes it,
// with the command. If `run` returns an exit code, the program exits with it.
template <class Arguments, class Run>
std::pair<CLI::App&, Arguments&> add_command(CLI::App& program, const char* name,
                                             const std::string& help, const Run& run) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(name, help);
  command->callback([arguments, run, command] {
    if constexpr (std::is_invocable_r_v<int, Run, Arguments&, const CLI::App&>) {
      throw CLI::RuntimeError(run(*arguments, *command));
    } else if constexpr (std::is_invocable_v<Run, Arguments&, const CLI::App&>) {
      run(*arguments, *command);
    } else if constexpr (std::is_invocable_r_v<int, Run, Arguments&>) {
      throw CLI::RuntimeError(run(*arguments));
    } else {
      run(*arguments);
    }
  });
  return {*command, *arguments};
}

// What commands about a trained run and its data have in common.
struct RunArguments {
  fs::path run;
  std::string split = "validation";
  std::string checkpoint;
  DataChoice data;
  Index threads = default_threads();
  bool json = false;
};

// The files that a command reads if it uses a run with this checkpoint.
inline InputFiles inputs_of_run(const fs::path& run, const std::string& checkpoint,
                                const DataChoice& data = {}) {
  InputFiles inputs = inputs_of_run(run, data);
  inputs.add(find_checkpoint(RunFiles{run}, checkpoint));
  return inputs;
}

// Throws IoError, before any long work, if standard output is redirected into one of the inputs.
inline void expect_output_apart(const InputFiles& inputs) {
  inputs.expect_other(STDOUT_FILENO, "standard output");
}

// For commands that a user may type next: the option and its value; nothing for an empty value.
inline std::string option_words(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {} {}", name, shell_word(value));
}

// An option that takes one value and may be repeated.
inline CLI::Option* add_repeated_option(CLI::App& command, const char* name,
                                        std::vector<std::string>& values, const char* help) {
  return command.add_option(name, values, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

inline void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  add_repeated_option(command, "--set", overrides,
                      "section.option=value: changes an option of the config; may be repeated");
}

inline void add_checkpoint_option(CLI::App& command, std::string& checkpoint) {
  command.add_option(
      "--checkpoint", checkpoint,
      "best, last, average or a file; by default the average where there is one, else the best");
}

inline CLI::Option* add_data_option(CLI::App& command, DataChoice& data) {
  return command.add_option(
      "--data", data.directory,
      "Directory that holds the run's data files; by default where the training found them");
}

// --data and --other-data, for commands that only measure.
inline void add_data_options(CLI::App& command, DataChoice& data) {
  add_data_option(command, data);
  command.add_flag("--other-data", data.other,
                   "Use data that the run was not trained with; changed files need --data, too");
}

// An option, such as named("--beam", 1, 256), that stores its value in `cell`. Parsing throws
// ConfigError for a value that is no number (nan and inf included) or is out of range. The help
// shows the default if it is in the range. A default outside it means: the option was not given.
CLI::Option* add_number_option(CLI::App& command, Field field, const Cell& cell,
                               std::string_view help);

CLI::Option* add_numbers_option(CLI::App& command, Field field, std::vector<Index>& numbers,
                                std::string_view help);

CLI::Option* add_precision_option(CLI::App& command, Precision& precision);

CLI::Option* add_threads_option(CLI::App& command, Index& threads,
                                std::string_view help = "Worker threads");

enum class ExampleFile { config, sweep };

// The folder of the examples: configs of the checkout in which the program was built, or
// share/tapehead/configs of an installation. Throws ConfigError if there is none.
fs::path example_folder();

// The file of the example with this name, such as "copy". Throws ConfigError, listing the existing
// names, if there is no such example.
fs::path find_example(const std::string& name, ExampleFile kind);

// --checkpoint, --data, --other-data and --threads.
template <class Arguments>
void add_study_options(CLI::App& command, Arguments& arguments) {
  add_checkpoint_option(command, arguments.checkpoint);
  add_data_options(command, arguments.data);
  add_threads_option(command, arguments.threads);
}

// The options of gradcheck. Two programs declare them: tapehead-gradcheck, which does the check,
// and tapehead, which describes all commands.
struct GradcheckArguments {
  fs::path config;
  std::vector<std::string> overrides;
  std::string only = "*";
  std::uint64_t seed = 1;
  bool json = false;
};

CLI::App* declare_gradcheck(CLI::App& program, GradcheckArguments& arguments);

// Registers a command; each command's file defines one. `place`: its position in the help.
struct Command {
  using Add = std::function<void(CLI::App& program, Ranks& ranks)>;
  Command(int place, Add add);
  Command(int place, void (*add)(CLI::App& program))
      : Command(place, [add](CLI::App& program, Ranks& /*ranks*/) { add(program); }) {}
};

// Runs the command of a command line, whose first word is the program's name. Exceptions become
// exit codes and messages.
RankEnd run_command(std::vector<std::string> words, Ranks& ranks);

// The text of --version: version, commit, kernels and OpenBLAS. Throws what prepare_blas() throws.
std::string version_text();

}  // namespace tapehead
