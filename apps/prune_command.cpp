// tapehead prune RUN DIR: writes a smaller run without the heads that matter least.
#include "apps/commands.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "lab/removal/head_removal.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/output/logging.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead {

namespace {

// The heads to remove are named, closed, or else the least important heads.
struct PruneArguments : RunArguments {
  fs::path to;
  std::vector<std::string> names;  // such as "decoder.layers.0.cross.3"
  bool closed = false;             // all heads with closed gates
  Index count = -1;                // number of least important heads; -1: as the tolerance allows
  double tolerance = 0.01;         // maximum growth of the loss on the split
  bool overwrite = false;
};

// The heads to remove, and a remark about heads that would come first but cannot be removed.
struct ChosenHeads {
  std::vector<HeadName> heads;
  std::string remark{};
};

// Throws ConfigError for a name that is not like "decoder.layers.0.cross.3", an unknown head, and a
// head named twice.
ChosenHeads named_ones(const std::vector<std::string>& names, const Transformer& transformer) {
  ChosenHeads chosen;
  for (const std::string& text : names) {
    const std::size_t dot = text.rfind('.');
    const auto number = whole_number(dot == std::string::npos ? "" : text.substr(dot + 1));
    if (!number) {
      throw ConfigError(
          "--head {}: not of the form ATTENTION.NUMBER, such as decoder.layers.0.cross.3",
          shown(text));
    }
    const HeadName head = head_named(transformer, text.substr(0, dot), *number);
    if (std::ranges::find(chosen.heads, head) != chosen.heads.end()) {
      throw ConfigError("--head {}: it is given twice; leave one out", shown(text));
    }
    chosen.heads.push_back(head);
  }
  return chosen;
}

// Throws ConfigError if no head has a gate.
ChosenHeads closed_ones(const SavedRun& saved) {
  const std::vector<GatedHead> gated = gated_heads(saved.model);
  if (gated.empty()) {
    throw ConfigError("--closed: the heads of {} have no gates (attention.gates)",
                      saved.directory.string());
  }
  const std::vector<HeadName> closed = closed_heads(gated);
  ChosenHeads chosen{.heads = removable_among(saved.model.transformer, closed)};
  if (chosen.heads.size() < closed.size()) {
    chosen.remark = fmt::format(
        "{} heads are closed, but {} of these cannot be removed: their attention allows no "
        "removal, or the remaining heads would share keys in unequal groups",
        closed.size(), closed.size() - chosen.heads.size());
  }
  return chosen;
}

ChosenHeads least_important(const PruneArguments& wanted, SavedRun& saved, const Task& task,
                            const Split& split, Workers& workers, Console& console) {
  const PruningCurve curve = choose_removal(
      saved.model, saved.config, task, split,
      wanted.count < 0 ? std::nullopt : std::optional(wanted.count), usual_slope_examples, workers,
      [&](Index done, Index of) { console.live(fmt::format("heads tried: {} of {}", done, of)); });
  console.live("");
  const std::size_t steps =
      wanted.count < 0 ? curve.steps_within(wanted.tolerance) : curve.steps.size();
  ChosenHeads chosen{.heads = curve.removed_by(steps)};
  if (!curve.ungated.empty()) {
    chosen.remark = "heads that cannot be removed: " + fixed_text(curve.ungated);
  }
  return chosen;
}

// The directory is an argument, not an option.
constexpr WaysOut ways_out{.another = "another directory"};

// The options that the user wrote, and all options of sections that lost heads: these options
// followed from the earlier heads and must not be derived again.
Written written_for(const LoadedConfig& run, const Config& config) {
  const auto section_of = [](std::string_view option) {
    return option.substr(0, option.find('.'));
  };
  const auto before = option_values(run.config);
  const auto after = option_values(config);
  std::set<std::string_view> changed;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] != before[i]) {
      changed.insert(section_of(after[i].first));
    }
  }
  Written written;
  for (const auto& [option, value] : after) {
    const auto chosen = std::ranges::find(*run.written, option, &WrittenOption::option);
    if (changed.contains(section_of(option))) {
      written.push_back({option, value, "prune"});
    } else if (chosen != run.written->end()) {
      written.push_back(*chosen);
    }
  }
  return written;
}

void write_run(const PruneArguments& arguments, const SavedRun& saved, const Task& task,
               const Config& config, const Model& model) {
  const TaskOptions data = find_run_data({saved.directory}, config.task, arguments.data);
  const Written written = written_for(load_chosen(RunFiles{saved.directory}.config(), {}), config);
  const RunDirectory run = RunDirectory::create(arguments.to, arguments.overwrite, ways_out);
  write_run_data(run.files(), config.task, data);
  // The text that a language model reads in front of a prompt depends on its training text.
  if (has_token_files(saved.directory)) {
    save_texts(task, arguments.to);
  }
  save_tokenizers(saved.tokenizers, arguments.to);
  Metadata metadata = identity_of(config, saved.tokenizers, saved.data).facts;
  metadata["step"] = "0";
  write_tensor_file(run.files().best(), weight_entries(model.store), metadata);
  write_file_atomically(run.files().written(), written_text(written));
  // Written last: until the config exists, the directory can be used again after an interruption.
  write_file_atomically(run.files().config(), dump_config(config));
}

// `losses`: on the split, before and after. Also prints the command that continues the training of
// the smaller run.
void say(const PruneArguments& arguments, const ChosenHeads& chosen, const Split& split,
         const Model& before, const Model& after, std::pair<double, double> losses) {
  const std::string run = arguments.to.string();
  const std::size_t heads = heads_of(before.transformer).size();
  const std::vector<std::string> removed = mapped(chosen.heads, &HeadName::text);
  if (arguments.json) {
    const auto pair = [](auto first, auto second) {
      return Json{{"before", first}, {"after", second}};
    };
    write_output(json_text({{"run", run},
                            {"heads", heads},
                            {"removed", removed},
                            {"remark", chosen.remark},
                            {"split", split.name},
                            {"parameters", pair(before.store.count(), after.store.count())},
                            {"loss", pair(losses.first, losses.second)}}) +
                 '\n');
    return;
  }
  const auto parameters = [](const Model& model) {
    return format_count(static_cast<double>(model.store.count()));
  };
  write_output(fmt::format(
      "removed {} of {} heads:{}{}\n{}{}parameters: {} -> {}; loss on {}: {:.4f} -> {:.4f}\n"
      "{} can be evaluated and used like any run; to continue its training:\n"
      "{} train {} --set {} --run DIR\n",
      removed.size(), heads, removed.empty() ? "" : " ", join(removed, " "), chosen.remark,
      chosen.remark.empty() ? "" : "\n", parameters(before), parameters(after), split.name,
      losses.first, losses.second, run, program_path(),
      shell_word((arguments.to / "config.yaml").string()), shell_word("model.init_from=" + run)));
}

void prune(const PruneArguments& arguments, SavedRun& saved, Console& console) {
  const Task task = saved.task(arguments.data);
  const Split& split = task.split(arguments.split);
  say_unknown(split);
  Workers workers(arguments.threads);
  const auto loss_of = [&](const Model& model) {
    const Evaluation result = evaluate_memoryless(model, saved.config, task, split, workers);
    expect_figures(evaluation_json(result));
    return result.loss();
  };
  const ChosenHeads chosen =
      !arguments.names.empty() ? named_ones(arguments.names, saved.model.transformer)
      : arguments.closed       ? closed_ones(saved)
                               : least_important(arguments, saved, task, split, workers, console);
  Config config = saved.config;
  config.model = options_without(saved.config.model, saved.model.transformer, chosen.heads);
  config.model.init_from.clear();
  Model smaller(config, saved.model.transformer.vocabularies(), FirstWeights::zeros);
  keep_weights(saved.model, chosen.heads, smaller);
  const std::pair losses{loss_of(saved.model), loss_of(smaller)};
  write_run(arguments, saved, task, config, smaller);
  say(arguments, chosen, split, saved.model, smaller, losses);
}

void prune_run(const PruneArguments& arguments) {
  const auto console = start_logging();
  prepare_blas(arguments.threads);
  RunDirectory::expect_available(arguments.to, arguments.overwrite, ways_out);
  const InputFiles inputs = inputs_of_run(arguments.run, arguments.checkpoint, arguments.data);
  RunDirectory::expect_keeps(arguments.to, inputs);
  expect_output_apart(inputs);
  SavedRun saved(arguments.run, arguments.checkpoint);
  saved.use([&] { prune(arguments, saved, *console); });
}

}  // namespace

const Command prune_command(160, [](CLI::App& program) {
  const auto [command, arguments] = add_command<PruneArguments>(
      program, "prune", "Make a smaller run from a trained run, without the least important heads",
      prune_run);
  command.add_option("run", arguments.run, "Run directory")->required();
  command.add_option("to", arguments.to, "Directory of the smaller run")->required();
  auto* heads = command.add_option("--head", arguments.names,
                                   "A head to remove, such as decoder.layers.0.cross.3; may be "
                                   "repeated. By default the least important heads, one by one");
  auto* count = add_number_option(command, named("--count", 0, 1'000'000), &arguments.count,
                                  "How many heads to remove")
                    ->excludes(heads);
  auto* closed =
      command
          .add_flag("--closed", arguments.closed,
                    "Remove the heads whose trained gates are closed, which contribute nothing")
          ->excludes(heads)
          ->excludes(count);
  add_number_option(
      command, named("--tolerance", 0), &arguments.tolerance,
      "Without --count: remove heads while the loss on the split grows by at most this")
      ->excludes(heads)
      ->excludes(count)
      ->excludes(closed);
  command.add_option("--split", arguments.split, "The split on which the loss is measured")
      ->capture_default_str();
  add_study_options(command, arguments);
  command.add_flag("--overwrite", arguments.overwrite, "Replace an earlier run");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
