// tapehead heads RUN: what each attention head of a trained model does, over a split.
#include "apps/commands.hpp"
#include "apps/heads_output.hpp"
#include "apps/inputs.hpp"
#include "lab/heads/head_legend.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/removal/head_pruning.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

HeadFindings study(const HeadsRequest& request, SavedRun& saved, const Task& task,
                   const Split& split, Console& console) {
  const auto progress = [&console](const char* what) {
    return [&console, what](Index done, Index of) {
      console.live(fmt::format("{}: {} of {}", what, done, of));
    };
  };
  Workers workers(request.threads);
  HeadFindings found;
  found.heads = study_heads(saved.model, saved.config, task, *split.source, workers,
                            head_figure_rows(), progress("watching, batches"));
  found.gates = gated_heads(saved.model);
  if (request.importance) {
    found.importance = head_importance(saved.model, saved.config, task, split, workers,
                                       progress("the loss without a head, and with it alone"));
  }
  if (request.prune) {
    found.pruning = prune_heads(saved.model, saved.config, task, split, usual_slope_examples,
                                workers, progress("heads removed"));
  }
  console.live("");
  find_removable(saved.model.transformer, found);
  return found;
}

// What the heads did at each checkpoint.
void show_history(const HeadsRequest& request, const Task& task, const Split& split,
                  Console& console) {
  Workers workers(request.threads);
  const HeadHistory history =
      head_history(request.run, task, split, workers, [&](Index done, Index of) {
        console.live(fmt::format("watching, checkpoints: {} of {}", done, of));
      });
  console.live("");
  write_history(request, split, history);
}

void show_heads(const HeadsRequest& request) {
  if (request.legend || request.reference) {
    write_output(request.reference ? legend_reference() : legend_text() + "\n");
    return;
  }
  if (request.run.empty()) {
    throw ConfigError("name a run, or ask for --legend or --reference");
  }
  const auto console = std::make_shared<Console>();
  start_logging(console);
  prepare_blas(request.threads);
  expect_output_apart(inputs_of_run(request.run, request.checkpoint, request.data));
  SavedRun saved(request.run, request.checkpoint);
  const Task task = saved.task(request.data);
  const Split& split = task.split(request.split);
  say_unknown(split);
  if (request.every_checkpoint) {
    show_history(request, task, split, *console);
    return;
  }
  const HeadFindings found =
      saved.use([&] { return study(request, saved, task, split, *console); });
  write_findings(request, saved, split, found);
}

// The legend and the reference are the same for every run.
void expect_alone(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && option->get_name() != name) {
      throw ConfigError(
          fmt::format("{} has no effect with {}; leave it out", option->get_name(), name));
    }
  }
}

}  // namespace

const Command heads_command(120, [](CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("heads", "Tell what each attention head of a trained model does");
  const auto request = std::make_shared<HeadsRequest>();
  command->add_option("run", request->run, "Run directory");
  command->add_option("--split", request->split, "The split to read: train, validation or test")
      ->capture_default_str();
  add_checkpoint_option(*command, request->checkpoint);
  add_data_options(*command, request->data);
  add_threads_option(*command, request->threads);
  command->add_flag("--importance", request->importance,
                    "Also the loss without each head and with it alone in its attention, and how "
                    "fast a gate on it would change the loss");
  command->add_flag("--prune", request->prune,
                    "Also the loss as all heads go one by one, the least important first");
  command
      ->add_flag("--every-checkpoint", request->every_checkpoint,
                 "Instead: what the heads did at each checkpoint of the training that is kept "
                 "(training.checkpoint_keep), and since which step they do it")
      ->excludes("--importance")
      ->excludes("--prune")
      ->excludes("--checkpoint");
  command->add_flag("--all", request->all,
                    "Also the tables of all figures: weights, weight matrices, pairs of heads and "
                    "relations");
  command->add_flag("--legend", request->legend,
                    "Instead: what the columns and the roles mean, in words; needs no run");
  command->add_flag("--reference", request->reference,
                    "Instead: print the reference of all figures, as docs/head-figures.md");
  auto* json = command->add_flag("--json", request->json, "One JSON object on standard output");
  command
      ->add_flag("--csv", request->csv,
                 "One line of CSV for each head on standard output, with its figures")
      ->excludes(json)
      ->excludes("--importance")
      ->excludes("--prune")
      ->excludes("--every-checkpoint")
      ->excludes("--all");
  command->callback([request, command] {
    if (request->legend || request->reference) {
      expect_alone(*command, request->legend ? "--legend" : "--reference");
    }
    show_heads(*request);
  });
});

}  // namespace tapehead
