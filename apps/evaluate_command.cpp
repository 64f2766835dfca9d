// tapehead evaluate RUN: computes all metrics of a trained model on a split.

#include "apps/commands.hpp"
#include "datasets/text/text_options.hpp"
#include "train/config/rules.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

struct EvaluateArguments : RunArguments {
  Index beam = 0;
  std::string pattern;
  EvaluationWindows windows;
  std::optional<Index> memory;
  Precision precision = Precision::float32;
};

Json splits_json(const SplitResults& results) {
  Json object = evaluation_json(results.front().second);
  for (const auto& [name, result] : results | std::views::drop(1)) {
    object["splits"][name] = evaluation_json(result);
  }
  return object;
}

std::optional<AttentionPattern> pattern_of(const EvaluateArguments& arguments) {
  try {
    return arguments.pattern.empty() ? std::nullopt
                                     : std::optional(AttentionPattern(arguments.pattern));
  } catch (const ConfigError& error) {
    throw ConfigError("--pattern: {} ({}; allowed: {})", error.what(), shown(arguments.pattern),
                      AttentionPattern::notation);
  }
}

// Changes the length of windows in the config, because other options depend on it.
void set_context(Config& config, Index context) {
  const Use& use = use_of(config);
  if (!use.windows) {
    throw ConfigError("--context: only running text is cut into windows (task.name: text)");
  }
  const Index most =
      config.model.max_positions - use.marks_beside - config.evaluation.memory.value_or(0);
  if (context > most) {
    throw ConfigError(
        "--context: more tokens than the model has positions for ({}; allowed: 1 to "
        "{}, see model.max_positions)",
        context, most);
  }
  config.task.as<TextOptions>().context = context;
  config.evaluation.stride.reset();
}

void expect_stride(const Config& config, Index stride) {
  const auto* text = config.task.find<TextOptions>();
  if (text == nullptr) {
    throw ConfigError("--stride: only running text is cut into windows (task.name: text)");
  }
  if (use_of(config).mask) {
    throw ConfigError(
        "--stride: an encoder predicts masked tokens, and its windows cannot overlap; leave "
        "--stride out");
  }
  if (config.evaluation.memory.value_or(0) > 0) {
    throw ConfigError(
        "--stride: with a memory, windows cannot overlap; leave --stride out, or give --memory 0");
  }
  if (stride > text->context) {
    throw ConfigError(
        "--stride: windows of {} tokens would leave tokens between them out ({}; allowed: 1 to {})",
        text->context, stride, text->context);
  }
}

// Throws ConfigError unless windows, memory and pattern fit, whatever the training used.
void check_memory(Config config, const EvaluateArguments& arguments) {
  const Index memory = config.evaluation.memory.value_or(0);
  const auto* text = config.task.find<TextOptions>();
  const Index most = text == nullptr ? 0 : config.model.max_positions - text->context;
  if (text != nullptr && memory > most) {
    throw ConfigError(
        "--memory: model.max_positions ({}) has too few positions for windows of {} tokens and "
        "these rows ({}; allowed: 0 to {})",
        config.model.max_positions, text->context, memory, most);
  }
  config.training.memory = 0;
  if (const auto violation = memory_fits(config)) {
    throw ConfigError((arguments.memory ? "--memory: " : "--pattern: ") + violation->problem);
  }
}

void evaluate_run(const EvaluateArguments& arguments) {
  prepare_blas(arguments.threads);
  expect_output_apart(inputs_of_run(arguments.run, arguments.checkpoint, arguments.data));
  SavedRun saved(arguments.run, arguments.checkpoint, pattern_of(arguments));
  saved.model.store.precision = arguments.precision;
  say_slow_products(arguments.precision);
  Config config = saved.config;
  if (arguments.memory) {
    config.evaluation.memory = arguments.memory;
  }
  if (arguments.windows.context > 0) {
    set_context(config, arguments.windows.context);
  }
  if (arguments.memory || !arguments.pattern.empty()) {
    check_memory(config, arguments);
  }
  if (arguments.windows.stride > 0) {
    expect_stride(config, arguments.windows.stride);
  }
  EvaluationOptions options = config.evaluation;
  if (arguments.beam > 0) {
    if (use_of(config).windows) {
      throw ConfigError("--beam: running text is evaluated without a search; leave --beam out");
    }
    if (!use_of(config).writes) {
      throw ConfigError("--beam: the model gives its labels in one pass, without a search");
    }
    options.beam = arguments.beam;
  }
  const Task task = saved.task(arguments.data, arguments.windows);
  Workers workers(arguments.threads);
  const SplitResults results = evaluate(saved, task, arguments.split, options, workers);
  write_output(fmt::format(
      "{}\n", arguments.json ? splits_json(results).dump() : evaluation_table(results)));
}

}  // namespace

const Command evaluate_command(40, [](CLI::App& program) {
  const auto [command, arguments] = add_command<EvaluateArguments>(
      program, "evaluate", "Measure a trained model on a split", evaluate_run);
  arguments.split = "test";
  command.add_option("run", arguments.run, "Run directory")->required();
  command
      .add_option("--split", arguments.split,
                  "train, validation, test (with the further test splits), one further test split, "
                  "or whole (all test splits together)")
      ->capture_default_str();
  add_checkpoint_option(command, arguments.checkpoint);
  add_data_options(command, arguments.data);
  add_number_option(command, named("--beam", 1, 256), &arguments.beam,
                    "Hypotheses of the beam search; by default as the config says");
  command.add_option("--pattern", arguments.pattern,
                     "Pattern of all self-attentions, in the notation of attention.pattern; by "
                     "default as the config says");
  add_number_option(command, named("--context", 1, 1048576), &arguments.windows.context,
                    "Running text: tokens of a window; by default as the config says. Windows of "
                    "another length overlap only with --stride");
  add_number_option(command, named("--stride", 1, 1048576), &arguments.windows.stride,
                    "Running text: tokens from one window's beginning to the next; by default as "
                    "the config says");
  add_number_option(command, named("--memory", 0, 1048576), &arguments.memory,
                    "Running text: rows of earlier windows that the model remembers; by default as "
                    "the config says");
  add_precision_option(command, arguments.precision);
  add_threads_option(command, arguments.threads);
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
