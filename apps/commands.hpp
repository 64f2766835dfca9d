// The commands of the program. Each has its own file, which declares its options and its function.
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

// Adds all commands that are linked into the program.
void add_commands(CLI::App& program, Outcome& outcome, Launch& launch);

void add_train_command(CLI::App& program, Outcome& outcome, Launch& launch);
void add_evaluate_command(CLI::App& program, Outcome& outcome);
void add_translate_command(CLI::App& program, Outcome& outcome);
void add_generate_command(CLI::App& program, Outcome& outcome);
void add_classify_command(CLI::App& program, Outcome& outcome);
void add_fill_command(CLI::App& program, Outcome& outcome);
void add_tokenize_command(CLI::App& program, Outcome& outcome);
void add_score_command(CLI::App& program, Outcome& outcome);
void add_attention_command(CLI::App& program, Outcome& outcome);
void add_heads_command(CLI::App& program, Outcome& outcome);
void add_report_command(CLI::App& program, Outcome& outcome);
void add_import_command(CLI::App& program, Outcome& outcome);
void add_export_command(CLI::App& program, Outcome& outcome);
void add_prune_command(CLI::App& program, Outcome& outcome);
void add_config_command(CLI::App& program, Outcome& outcome);
void add_gradcheck_command(CLI::App& program);
void add_replay_command(CLI::App& program, Outcome& outcome);
void add_sweep_command(CLI::App& program, Outcome& outcome, Launch& launch);
void add_plan_command(CLI::App& program, Outcome& outcome);
void add_score_run_command(CLI::App& program);
void add_describe_command(CLI::App& program);

}  // namespace tapehead
