// The commands of the program, each in a file of its own: it declares its options and what runs
// when it is chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

// A command's function leaves the program's exit code here.
struct Outcome {
  int exit_code = 0;
};

void add_train_command(CLI::App& program, Outcome& outcome);
void add_evaluate_command(CLI::App& program, Outcome& outcome);
void add_translate_command(CLI::App& program, Outcome& outcome);
void add_config_command(CLI::App& program, Outcome& outcome);
void add_gradcheck_command(CLI::App& program, Outcome& outcome);
void add_replay_command(CLI::App& program, Outcome& outcome);

}  // namespace tapehead
