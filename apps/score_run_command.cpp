// tapehead score-run RUN: scores a trained run of a sweep. `sweep` starts it as a child process, so
// the help does not list it.
#include "apps/commands.hpp"
#include "lab/sweep/score_run.hpp"

namespace tapehead {

namespace {

struct ScoreRunArguments {
  fs::path run;
  std::string split;
  RunStudy study;
  Index threads = 1;
};

void score_run_file(const ScoreRunArguments& arguments) {
  prepare_blas(arguments.threads);
  Workers workers(arguments.threads);
  write_scores(arguments.run, score_run(arguments.run, arguments.split, arguments.study, workers));
}

}  // namespace

const Command score_run_command(200, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ScoreRunArguments>(
      program, "score-run", "Score a run of a sweep", score_run_file);
  command.group("");
  RunStudy& study = arguments.study;
  command.add_option("run", arguments.run, "Run directory")->required();
  command.add_option("--split", arguments.split, "By default test or, without one, validation");
  add_repeated_option(command, "--further-split", study.further_splits,
                      "Evaluated too; may be repeated");
  command.add_flag("--heads", study.heads, "Study what the heads do");
  command.add_flag("--importance", study.importance, "Study the loss without each head");
  command.add_flag("--pruning", study.pruning, "Study the loss as heads are removed one by one");
  command.add_flag("--maps", study.maps, "Keep the weights of all heads on a sentence");
  command.add_option("--sentence", study.sentence,
                     "The sentence of the maps; by default the first example");
  add_threads_option(command, arguments.threads);
});

}  // namespace tapehead
