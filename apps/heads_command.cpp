// tapehead heads RUN: what each attention head of a trained model does, measured over a split.
#include "apps/commands.hpp"
#include "lab/heads/conclusions.hpp"
#include "lab/heads/head_history.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct HeadsRequest : RunArguments {
  bool importance = false;
  bool prune = false;
  bool every_checkpoint = false;
  bool all = false;
  bool csv = false;
  bool legend = false;
  bool reference = false;
};

Json findings_json(const HeadsRequest& request, const SavedRun& saved, const Split& split,
                   const HeadFindings& found) {
  Json object = {{"run", request.run.string()},
                 {"checkpoint", saved.checkpoint.string()},
                 {"split", split.name},
                 {"examples", split.size()},
                 {"attentions", heads_json(found.heads)}};
  if (!found.gates.empty()) {
    object["gates"] = json_of(gate_rows(), found.gates);
  }
  if (found.importance) {
    object["importance"] = importance_json(*found.importance);
  }
  if (found.pruning) {
    object["pruning"] = pruning_json(*found.pruning);
  }
  return object;
}

// The options of this call that select the checkpoint and the data.
std::string choices(const HeadsRequest& request) {
  return option_words("--split", request.split == HeadsRequest().split ? "" : request.split) +
         option_words("--checkpoint", request.checkpoint) +
         option_words("--data", request.data.directory.string()) +
         (request.data.other ? " --other-data" : "");
}

// The command for the next look at the heads, with the same checkpoint and data.
std::string command_for(const HeadsRequest& request, NextStep step) {
  const std::string run = shell_word(request.run.string());
  const std::string name = (request.run / "").parent_path().string();  // without a trailing slash
  const std::string smaller = run + " " + shell_word(name + "-small");
  const std::array<std::string, 4> commands{
      // in the order of NextStep
      "heads " + run + " --importance", "heads " + run + " --prune",
      "prune " + smaller + " --closed", "prune " + smaller};
  return commands.at(static_cast<std::size_t>(step)) + choices(request);
}

void print_tables(const HeadsRequest& request, const HeadFindings& found) {
  std::vector<std::string> tables;
  if (request.all) {
    tables = {heads_table(found.heads), heads_table(found.heads, HeadTable::matrices),
              heads_table(found.heads, HeadTable::pairs), relations_table(found.heads),
              found.gates.empty() ? "" : table_of(gate_rows(), found.gates)};
  }
  tables.push_back(found.importance ? importance_table(*found.importance) : "");
  tables.push_back(found.pruning ? pruning_table(*found.pruning) : "");
  std::erase(tables, "");
  if (!tables.empty()) {
    write_output(fmt::format("\n{}\n\n", fmt::join(tables, "\n\n")));
  }
}

// Throws NumericError, before it writes anything, if a figure is not finite.
void write_findings(const HeadsRequest& request, const SavedRun& saved, const Split& split,
                    const HeadFindings& found) {
  const Json object = findings_json(request, saved, split, found);
  saved.use([&] { expect_figures(object); });
  if (request.json || request.csv) {
    write_output(request.json ? object.dump() + "\n" : heads_csv(found.heads));
    return;
  }
  write_output(fmt::format("{} on {} ({} examples)\n\n", saved.checkpoint.string(), split.name,
                           split.size()));
  for (const std::string& line : conclusions(found)) {
    write_output(line + "\n");
  }
  if (const auto look = next_look(saved.model.transformer, found)) {
    write_output(fmt::format("look next: {} {} ({})\n", program_path(),
                             command_for(request, look->step), look->why));
  }
  if (!request.all) {
    write_output(fmt::format("all figures: {} heads {} --all{}\n", program_path(),
                             shell_word(request.run.string()), choices(request)));
  }
  print_tables(request, found);
  write_output(fmt::format("what the words and columns mean: {} heads --legend\n", program_path()));
}

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
  return found;
}

void show_history(const HeadsRequest& request, const Task& task, const Split& split,
                  Console& console) {
  Workers workers(request.threads);
  const HeadHistory history =
      head_history(request.run, task, split, workers, [&](Index done, Index of) {
        console.live(fmt::format("watching, checkpoints: {} of {}", done, of));
      });
  console.live("");
  if (request.json) {
    Json object = {
        {"run", request.run.string()}, {"split", split.name}, {"examples", split.size()}};
    object.update(history_json(history));
    write_output(fmt::format("{}\n", object.dump()));
    return;
  }
  write_output(fmt::format("{} on {} ({} examples), {} checkpoints of steps {} to {}\n\n",
                           request.run.string(), split.name, split.size(), history.size(),
                           history.front().step, history.back().step));
  write_output(history_text(history));
  if (const std::string table = history_table(history); request.all && !table.empty()) {
    write_output("\nqueries in which the best head agrees with a relation:\n" + table);
  }
}

void show_heads(const HeadsRequest& request, const CLI::App& command) {
  if (request.legend || request.reference) {  // they are the same for every run
    const std::string name = request.legend ? "--legend" : "--reference";
    for (const CLI::Option* option : command.get_options()) {
      if (option->count() > 0 && option->get_name() != name) {
        throw ConfigError("{} has no effect with {}; leave it out", option->get_name(), name);
      }
    }
    write_output(request.reference ? legend_reference() : legend_text() + "\n");
    return;
  }
  if (request.run.empty()) {
    throw ConfigError("name a run, or ask for --legend or --reference");
  }
  const auto console = start_logging();
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
  write_findings(request, saved, split,
                 saved.use([&] { return study(request, saved, task, split, *console); }));
}

}  // namespace

const Command heads_command(120, [](CLI::App& program) {
  const auto [command, request] = add_command<HeadsRequest>(
      program, "heads", "Tell what each attention head of a trained model does", show_heads);
  command.add_option("run", request.run, "Run directory");
  command.add_option("--split", request.split, "The split to read: train, validation or test")
      ->capture_default_str();
  add_study_options(command, request);
  command.add_flag("--importance", request.importance,
                   "Also the loss without each head, the loss with only this head in its "
                   "attention, and how fast a gate on it would change the loss");
  command.add_flag(
      "--prune", request.prune,
      "Also the loss while all heads are removed one by one, the least important first");
  command
      .add_flag("--every-checkpoint", request.every_checkpoint,
                "Instead: what the heads did at each kept checkpoint of the training "
                "(training.checkpoint_keep), and since which step")
      ->excludes("--importance")
      ->excludes("--prune")
      ->excludes("--checkpoint");
  command.add_flag("--all", request.all,
                   "Also the tables of all figures: weights, weight matrices, pairs of heads and "
                   "relations");
  command.add_flag("--legend", request.legend,
                   "Instead: what the columns and the roles mean, in words; needs no run");
  command.add_flag("--reference", request.reference,
                   "Instead: print the reference of all figures, as docs/head-figures.md");
  auto* json = command.add_flag("--json", request.json, "One JSON object on standard output");
  command
      .add_flag("--csv", request.csv,
                "One line of CSV for each head on standard output, with its figures")
      ->excludes(json)
      ->excludes("--importance")
      ->excludes("--prune")
      ->excludes("--every-checkpoint")
      ->excludes("--all");
});

}  // namespace tapehead
