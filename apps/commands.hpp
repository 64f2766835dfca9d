// The commands of the program. Each is a file of its own, which declares its options and its
// function; no list names them. Pages of the manual and completion in a shell are made of these
// declarations. It also includes what nearly every command uses.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/launch.hpp"
#include "core/files/input_output.hpp"
#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "core/option_rows.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/text.hpp"
#include "train/output/text_table.hpp"
#include "train/run/data.hpp"

namespace tapehead {

// A command of the program that runs `run` with what its options set. If `run` returns an exit
// code, it is the program's.
template <class Arguments, class Run>
std::pair<CLI::App&, Arguments&> add_command(CLI::App& program, const char* name, const char* help,
                                             Run run) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(name, help);
  command->callback([arguments, run] {
    if constexpr (std::is_void_v<decltype(run(*arguments))>) {
      run(*arguments);
    } else {
      throw CLI::RuntimeError(run(*arguments));
    }
  });
  return {*command, *arguments};
}

// An option that is given once for each of its values.
inline CLI::Option* add_repeated_option(CLI::App& command, const char* name,
                                        std::vector<std::string>& values, const char* help) {
  return command.add_option(name, values, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

// --set, for every command that takes a config.
inline void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  add_repeated_option(command, "--set", overrides,
                      "section.option=value: changes an option of the config; may be repeated");
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

// Also --other-data, for commands that only measure.
inline void add_data_options(CLI::App& command, DataChoice& data) {
  add_data_option(command, data);
  command.add_flag("--other-data", data.other,
                   "Use data that the run was not trained with; changed files need --data, too");
}

// The numbers that an option takes; by default all.
struct NumberRange {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool exclusive_minimum = false;
};

// An option, such as "--beam", whose value is stored where `cell` points to. While the command line
// is parsed, it throws ConfigError for a value that is not a number (nan and inf are not) or is out
// of the range. The help shows the default if it is in the range; a default outside the range means
// that the option was not given.
CLI::Option* add_number_option(CLI::App& command, const char* name, const Cell& cell,
                               const NumberRange& range, std::string_view help);

// An option that takes several whole numbers.
CLI::Option* add_numbers_option(CLI::App& command, const char* name, std::vector<Index>& numbers,
                                const NumberRange& range, std::string_view help);

// --threads, for every command that computes.
CLI::Option* add_threads_option(CLI::App& command, Index& threads,
                                std::string_view help = "Worker threads");

// The options of gradcheck, which two programs declare: the one that checks, and the one that
// describes all commands.
struct GradcheckArguments {
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::string only = "*";
  std::uint64_t seed = 1;
  bool json = false;
};

// Adds the command. It stores what it is given in `arguments`.
CLI::App* declare_gradcheck(CLI::App& program, GradcheckArguments& arguments);

// A command: its file has one, which adds it to the program. `place`: in the order of the help.
class Command {
 public:
  using Add = std::function<void(CLI::App& program, Launch& launch)>;
  Command(int place, Add add);
  Command(int place, void (*add)(CLI::App& program))
      : Command(place, [add](CLI::App& program, Launch& /*launch*/) { add(program); }) {}
};

// What --version prints: the version, the commit it was built from, its kernels, and OpenBLAS.
// Throws as prepare_blas.
std::string version_text();

}  // namespace tapehead
