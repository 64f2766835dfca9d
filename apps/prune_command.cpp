// tapehead prune RUN DIR: writes a smaller run without the heads that matter least.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/number_option.hpp"
#include "apps/pruned_output.hpp"
#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/files/standard_streams.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/shown.hpp"
#include "datasets/corpus/token_files.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "lab/removal/gated_heads.hpp"
#include "lab/removal/head_pruning.hpp"
#include "lab/removal/head_removal.hpp"
#include "lab/removal/removal_choice.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/experiment.hpp"
#include "train/output/figures.hpp"
#include "train/output/logging.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/directory.hpp"
#include "train/run/identity.hpp"

namespace tapehead {

namespace {

struct PruneArguments {
  std::filesystem::path run;
  std::filesystem::path to;
  std::vector<std::string> heads;
  double tolerance = 0.01;
  Index count = -1;
  bool closed = false;
  std::string split = "validation";
  std::string checkpoint;
  DataChoice data;
  Index threads = default_threads();
  bool overwrite = false;
  bool json = false;
};

// "decoder.layers.0.cross.3"
HeadName head_in(const Transformer& transformer, const std::string& text) {
  const std::size_t dot = text.rfind('.');
  Index head = 0;
  const std::string number = dot == std::string::npos ? "" : text.substr(dot + 1);
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, head);
  if (error != std::errc() || stop != end) {
    throw ConfigError(
        fmt::format("--head {}: not of the form ATTENTION.NUMBER, such as decoder.layers.0.cross.3",
                    shown(text)));
  }
  return head_named(transformer, text.substr(0, dot), head);
}

// The heads to remove, and a note about heads that would come first but cannot be removed.
struct ChosenHeads {
  std::vector<HeadName> heads;
  std::string remark{};
};

ChosenHeads closed_ones(const PruneArguments& arguments, const SavedRun& saved) {
  if (gated_heads(saved.model).empty()) {
    throw ConfigError(fmt::format("--closed: the heads of {} have no gates (attention.gates)",
                                  arguments.run.string()));
  }
  const std::vector<HeadName> closed = closed_heads(saved.model);
  ChosenHeads chosen{.heads = removable_among(saved.model.transformer, closed)};
  if (chosen.heads.size() < closed.size()) {
    chosen.remark = fmt::format(
        "of {} closed heads {} cannot be removed: their attention allows no removal, or the heads "
        "that remain would share keys in unequal groups",
        closed.size(), closed.size() - chosen.heads.size());
  }
  return chosen;
}

ChosenHeads least_important(const PruneArguments& arguments, SavedRun& saved, const Task& task,
                            const Split& split, Workers& workers, Console& console) {
  const RemovalChoice choice = choose_removal(
      saved.model, saved.config, task, split,
      arguments.count < 0 ? std::nullopt : std::optional(arguments.count), usual_slope_examples,
      workers,
      [&](Index done, Index of) { console.live(fmt::format("heads tried: {} of {}", done, of)); });
  console.live("");
  ChosenHeads chosen{.heads = arguments.count < 0 ? choice.heads_within(arguments.tolerance)
                                                  : choice.all_heads()};
  if (const auto staying = staying_attentions(saved.model.transformer); !staying.empty()) {
    chosen.remark = "heads that cannot be removed: " + fixed_text(staying);
  }
  return chosen;
}

ChosenHeads chosen_heads(const PruneArguments& arguments, SavedRun& saved, const Task& task,
                         const Split& split, Workers& workers, Console& console) {
  if (!arguments.heads.empty()) {
    ChosenHeads chosen;
    for (const std::string& text : arguments.heads) {
      const HeadName head = head_in(saved.model.transformer, text);
      if (std::ranges::find(chosen.heads, head) != chosen.heads.end()) {
        throw ConfigError(fmt::format("--head {}: it is given twice; leave one out", shown(text)));
      }
      chosen.heads.push_back(head);
    }
    return chosen;
  }
  return arguments.closed ? closed_ones(arguments, saved)
                          : least_important(arguments, saved, task, split, workers, console);
}

std::vector<std::string> names_of(const std::vector<HeadName>& heads) {
  std::vector<std::string> names;
  for (const HeadName& head : heads) {
    names.push_back(head.text());
  }
  return names;
}

// What a language model reads in front of a text depends on the text that it was trained on.
void keep_text(const SavedRun& saved, const Task& task, const std::filesystem::path& run) {
  for (const Split& split : task.splits) {
    const std::filesystem::path file = token_file(run, split.name);
    if (split.is_text() && has_token_files(saved.directory)) {
      make_directories(file.parent_path());
      split.windows.text->save(file);
    }
  }
}

void write_run(const PruneArguments& arguments, const SavedRun& saved, const Task& task,
               const Config& config, const Model& model) {
  const TaskOptions data = find_run_data({saved.directory}, config.task, arguments.data);
  const RunDirectory run = RunDirectory::create(arguments.to, arguments.overwrite);
  write_run_data(run.files(), config.task, data);
  keep_text(saved, task, arguments.to);
  save_tokenizers(saved.tokenizers, arguments.to);
  write_file_atomically(run.files().config(), dump_config(config));
  Metadata metadata = identity_of(config, saved.tokenizers, saved.data).facts;
  metadata["step"] = "0";
  write_tensor_file(best_checkpoint(run.files().checkpoints()), weight_entries(model.store),
                    metadata);
}

void prune(const PruneArguments& arguments, SavedRun& saved, Console& console) {
  const Task task = saved.task(arguments.data);
  const Split& split = task.split(arguments.split);
  say_unknown(split);
  Workers workers(arguments.threads);
  const auto loss_of = [&](const Model& model) {
    const Evaluation result =
        evaluate(model.transformer, model.store, task, split, saved.config.evaluation, 0, workers);
    expect_figures(evaluation_json(result));
    return result.loss();
  };
  const ChosenHeads chosen = chosen_heads(arguments, saved, task, split, workers, console);
  const std::vector<HeadName>& removed = chosen.heads;
  Config config = saved.config;
  config.model = options_without(saved.config.model, saved.model.transformer, removed);
  config.model.init_from.clear();
  Model smaller(config, saved.tokenizers.source->size(), saved.tokenizers.target->size(),
                FirstWeights::zeros);
  keep_weights(saved.model, removed, smaller);
  const double loss_before = loss_of(saved.model);
  const double loss_after = loss_of(smaller);
  write_run(arguments, saved, task, config, smaller);
  const Pruned pruned{
      .run = arguments.to,
      .heads = heads_of(saved.model.transformer).size(),
      .removed = names_of(removed),
      .remark = chosen.remark,
      .split = split.name,
      .parameters = {.before = saved.model.store.count(), .after = smaller.store.count()},
      .loss = {.before = loss_before, .after = loss_after}};
  write_output(arguments.json ? pruned_json(pruned) : pruned_text(pruned));
}

void prune_run(const PruneArguments& arguments) {
  const auto console = std::make_shared<Console>();
  start_logging(console);
  prepare_blas();
  RunDirectory::expect_available(arguments.to, arguments.overwrite);
  const InputFiles inputs = inputs_of_run(arguments.run, arguments.checkpoint, arguments.data);
  RunDirectory::expect_keeps(arguments.to, inputs);
  expect_output_apart(inputs);
  SavedRun saved(arguments.run, arguments.checkpoint);
  saved.use([&] { prune(arguments, saved, *console); });
}

}  // namespace

void add_prune_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command = program.add_subcommand(
      "prune", "Make a smaller run of a trained one, without the heads that matter least");
  const auto arguments = std::make_shared<PruneArguments>();
  command->add_option("run", arguments->run, "Run directory")->required();
  command->add_option("to", arguments->to, "Directory of the smaller run")->required();
  auto* heads = command->add_option("--head", arguments->heads,
                                    "A head to remove, such as decoder.layers.0.cross.3; may be "
                                    "repeated. By default the least important heads, one by one");
  auto* count = add_number_option(*command,
                                  {.name = "--count",
                                   .help = "How many heads to remove",
                                   .minimum = 0,
                                   .maximum = 1'000'000},
                                  &arguments->count)
                    ->excludes(heads);
  auto* closed =
      command
          ->add_flag("--closed", arguments->closed,
                     "Remove the heads whose trained gates are closed, which contribute nothing")
          ->excludes(heads)
          ->excludes(count);
  add_number_option(
      *command,
      {.name = "--tolerance",
       .help =
           "Without a count: remove heads as long as the loss on the split grows by at most this",
       .minimum = 0},
      &arguments->tolerance)
      ->excludes(heads)
      ->excludes(count)
      ->excludes(closed);
  command->add_option("--split", arguments->split, "The split on which the loss is measured")
      ->capture_default_str();
  add_checkpoint_option(*command, arguments->checkpoint);
  add_data_option(*command, arguments->data);
  add_other_data_option(*command, arguments->data);
  add_threads_option(*command, arguments->threads);
  command->add_flag("--overwrite", arguments->overwrite, "Replace an earlier run");
  command->add_flag("--json", arguments->json, "One JSON object on standard output");
  command->callback([arguments] { prune_run(*arguments); });
}

}  // namespace tapehead
