// The commands of the program tapehead, in the order in which its help lists them.
#include "apps/commands.hpp"

namespace tapehead {

void add_commands(CLI::App& program, Outcome& outcome, Launch& launch) {
  add_train_command(program, outcome, launch);
  add_plan_command(program, outcome);
  add_sweep_command(program, outcome, launch);
  add_evaluate_command(program, outcome);
  add_translate_command(program, outcome);
  add_generate_command(program, outcome);
  add_classify_command(program, outcome);
  add_fill_command(program, outcome);
  add_tokenize_command(program, outcome);
  add_score_command(program, outcome);
  add_attention_command(program, outcome);
  add_heads_command(program, outcome);
  add_report_command(program, outcome);
  add_import_command(program, outcome);
  add_export_command(program, outcome);
  add_prune_command(program, outcome);
  add_config_command(program, outcome);
  add_gradcheck_command(program);
  add_replay_command(program, outcome);
  add_score_run_command(program);
  add_describe_command(program);
}

}  // namespace tapehead
