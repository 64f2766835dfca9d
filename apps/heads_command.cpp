// tapehead heads RUN: what each attention head of a trained model does, over a split.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/number_option.hpp"
#include "core/errors.hpp"
#include "core/files/standard_streams.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "lab/heads/conclusions.hpp"
#include "lab/heads/head_history.hpp"
#include "lab/heads/head_legend.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/heads/pair_report.hpp"
#include "lab/heads/relation_report.hpp"
#include "lab/removal/gated_heads.hpp"
#include "lab/removal/removal_report.hpp"
#include "train/experiment.hpp"
#include "train/options/layout.hpp"
#include "train/output/figures.hpp"
#include "train/output/logging.hpp"
#include "train/output/program_path.hpp"

namespace tapehead {

namespace {

struct HeadsArguments {
  std::filesystem::path run;
  std::string split = "validation";
  std::string checkpoint;
  DataChoice data;
  Index threads = default_threads();
  bool importance = false;
  bool prune = false;
  bool every_checkpoint = false;
  bool all = false;
  bool json = false;
  bool legend = false;
};

nlohmann::ordered_json findings_json(const HeadsArguments& arguments, const SavedRun& saved,
                                     const Split& split, const HeadFindings& found) {
  nlohmann::ordered_json object = {{"run", arguments.run.string()},
                                   {"checkpoint", saved.checkpoint.string()},
                                   {"split", split.name},
                                   {"examples", split.size()},
                                   {"attentions", heads_json(found.heads)}};
  if (!found.gates.empty()) {
    object["gates"] = gates_json(found.gates);
  }
  if (found.importance) {
    object["importance"] = importance_json(*found.importance);
  }
  if (found.pruning) {
    object["pruning"] = pruning_json(*found.pruning);
  }
  return object;
}

// The options of this call that say which checkpoint and which data.
std::string choices(const HeadsArguments& arguments) {
  std::string options;
  const auto add = [&](const char* option, const std::string& value) {
    options += value.empty() ? "" : fmt::format(" {} {}", option, shell_word(value));
  };
  add("--split", arguments.split == HeadsArguments().split ? "" : arguments.split);
  add("--checkpoint", arguments.checkpoint);
  add("--data", arguments.data.directory.string());
  return options + (arguments.data.other ? " --other-data" : "");
}

// The command that shows or makes what is to be looked at next, with the same checkpoint and data.
std::string command_for(const HeadsArguments& arguments, NextStep step) {
  const std::string run = shell_word(arguments.run.string());
  const std::string name = (arguments.run / "").parent_path().string();  // without a last slash
  const std::string smaller = run + " " + shell_word(name + "-small");
  switch (step) {
    case NextStep::importance:
      return "heads " + run + " --importance" + choices(arguments);
    case NextStep::pruning:
      return "heads " + run + " --prune" + choices(arguments);
    case NextStep::closed_heads_gone:
      return "prune " + smaller + " --closed" + choices(arguments);
    case NextStep::spare_heads_gone:
      return "prune " + smaller + choices(arguments);
  }
  return "";
}

void print_conclusions(const HeadsArguments& arguments, const HeadFindings& found) {
  for (const std::string& line : conclusions(found)) {
    write_output(line + "\n");
  }
  const std::string program = program_path();
  if (const auto look = next_look(found)) {
    write_output(fmt::format("look next: {} {} ({})\n", program, command_for(arguments, look->step),
                             look->why));
  }
  if (!arguments.all) {
    write_output(fmt::format("all figures: {} heads {} --all{}\n", program,
                             shell_word(arguments.run.string()), choices(arguments)));
  }
}

void print_tables(const HeadsArguments& arguments, const HeadFindings& found) {
  std::vector<std::string> tables;
  if (arguments.all) {
    tables = {heads_table(found.heads), maps_table(found.heads), pairs_table(found.heads),
              relations_table(found.heads)};
    tables.push_back(found.gates.empty() ? "" : gates_table(found.gates));
  }
  tables.push_back(found.importance ? importance_table(*found.importance) : "");
  tables.push_back(found.pruning ? pruning_table(*found.pruning) : "");
  std::erase(tables, "");
  for (const std::string& table : tables) {
    write_output(fmt::format("\n{}\n", table));
  }
  if (!tables.empty()) {
    write_output("\n");
  }
  write_output(fmt::format("what the words and columns mean: {} heads --legend\n", program_path()));
}

void print(const HeadsArguments& arguments, const SavedRun& saved, const Split& split,
           const HeadFindings& found) {
  const nlohmann::ordered_json object = findings_json(arguments, saved, split, found);
  saved.use([&] { expect_figures(object); });
  if (arguments.json) {
    write_output(fmt::format("{}\n", object.dump()));
    return;
  }
  write_output(fmt::format("{} on {} ({} examples)\n\n", saved.checkpoint.string(), split.name,
                           split.size()));
  print_conclusions(arguments, found);
  print_tables(arguments, found);
}

HeadFindings study(const HeadsArguments& arguments, SavedRun& saved, const Task& task,
                   const Split& split, Console& console) {
  const auto progress = [&console](const char* what) {
    return [&console, what](Index done, Index of) {
      console.live(fmt::format("{}: {} of {}", what, done, of));
    };
  };
  Workers workers(arguments.threads);
  HeadFindings found;
  found.heads = report_heads(
      watch_heads(saved.model.transformer, saved.model.store, split,
                  token_facts(task, layout_of(saved.config.model)),
                  saved.config.evaluation.batch_tokens, workers, progress("watching, batches")),
      saved.model);
  found.gates = gated_heads(saved.model);
  if (arguments.importance) {
    found.importance = head_importance(saved.model, saved.config, task, split, workers,
                                       progress("the loss without a head, and with it alone"));
  }
  if (arguments.prune) {
    found.pruning = prune_heads(saved.model, saved.config, task, split, usual_slope_examples,
                                workers, progress("heads removed"));
  }
  console.live("");
  return found;
}

// What the heads did at each checkpoint.
void show_history(const HeadsArguments& arguments, const Task& task, const Split& split,
                  Console& console) {
  Workers workers(arguments.threads);
  const HeadHistory history =
      head_history(arguments.run, task, split, workers, [&](Index done, Index of) {
        console.live(fmt::format("watching, checkpoints: {} of {}", done, of));
      });
  console.live("");
  if (arguments.json) {
    nlohmann::ordered_json object = {
        {"run", arguments.run.string()}, {"split", split.name}, {"examples", split.size()}};
    object.update(history_json(history));
    write_output(fmt::format("{}\n", object.dump()));
    return;
  }
  write_output(fmt::format("{} on {} ({} examples), {} checkpoints of steps {} to {}\n\n",
                           arguments.run.string(), split.name, split.size(), history.size(),
                           history.front().step, history.back().step));
  write_output(history_text(history));
  if (const std::string table = history_table(history); arguments.all && !table.empty()) {
    write_output("\nqueries in which the best head agrees with a relation:\n" + table);
  }
}

void show_heads(const HeadsArguments& arguments) {
  if (arguments.legend) {
    write_output(fmt::format("{}\n", legend_text()));
    return;
  }
  if (arguments.run.empty()) {
    throw ConfigError("name a run, or ask for --legend");
  }
  const auto console = std::make_shared<Console>();
  start_logging(console);
  prepare_blas();
  expect_output_apart(inputs_of_run(arguments.run, arguments.checkpoint, arguments.data));
  SavedRun saved(arguments.run, arguments.checkpoint);
  const Task task = saved.task(arguments.data);
  const Split& split = task.split(arguments.split);
  say_unknown(split);
  if (arguments.every_checkpoint) {
    show_history(arguments, task, split, *console);
    return;
  }
  const HeadFindings found =
      saved.use([&] { return study(arguments, saved, task, split, *console); });
  print(arguments, saved, split, found);
}

// The legend is the same for every run.
void expect_legend_alone(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && option->get_name() != "--legend") {
      throw ConfigError(
          fmt::format("{} has no effect with --legend; leave it out", option->get_name()));
    }
  }
}

}  // namespace

void add_heads_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("heads", "Tell what each attention head of a trained model does");
  const auto arguments = std::make_shared<HeadsArguments>();
  command->add_option("run", arguments->run, "Run directory");
  command->add_option("--split", arguments->split, "The split to read: train, validation or test")
      ->capture_default_str();
  add_checkpoint_option(*command, arguments->checkpoint);
  add_data_option(*command, arguments->data);
  add_other_data_option(*command, arguments->data);
  add_threads_option(*command, arguments->threads);
  command->add_flag("--importance", arguments->importance,
                    "Also the loss without each head and with it alone in its attention, and how "
                    "fast a gate on it would change the loss");
  command->add_flag("--prune", arguments->prune,
                    "Also the loss as all heads go one by one, the least important first");
  command
      ->add_flag("--every-checkpoint", arguments->every_checkpoint,
                 "Instead: what the heads did at each checkpoint of the training that is kept "
                 "(training.checkpoint_keep), and since which step they do it")
      ->excludes("--importance")
      ->excludes("--prune")
      ->excludes("--checkpoint");
  command->add_flag("--all", arguments->all,
                    "Also the tables of all figures: weights, weight matrices, pairs of heads and "
                    "relations");
  command->add_flag("--legend", arguments->legend,
                    "Instead: what the columns and the roles mean, in words; needs no run");
  command->add_flag("--json", arguments->json, "One JSON object on standard output");
  command->callback([arguments, command] {
    if (arguments->legend) {
      expect_legend_alone(*command);
    }
    show_heads(*arguments);
  });
}

}  // namespace tapehead
