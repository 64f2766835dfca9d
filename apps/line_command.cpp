#include "apps/line_command.hpp"

#include "apps/commands.hpp"

namespace tapehead {

namespace {

std::vector<const SavedRun*> opened_runs(const LineArguments& arguments) {
  constexpr std::array<std::string_view, 4> of_any_run{"", "best", "last", "average"};
  if (arguments.runs.size() > 1 && std::ranges::count(of_any_run, arguments.checkpoint) == 0) {
    throw ConfigError(
        "--checkpoint {}: a file is the checkpoint of one run; of several runs name "
        "best, last or average",
        arguments.checkpoint);
  }
  return mapped(arguments.runs, [&](const fs::path& run) -> const SavedRun* {
    SavedRun& saved = kept<KeptRun>(run, arguments.checkpoint).run;
    saved.model.store.precision = arguments.precision;
    return &saved;
  });
}

}  // namespace

CLI::Option* add_input_option(CLI::App& command, std::string& input) {
  return command.add_option("--input", input, "File of lines; by default standard input");
}

void add_run_options(CLI::App& command, LineArguments& arguments, TakesRuns takes) {
  CLI::Option* runs =
      takes == TakesRuns::several
          ? command.add_option("run", arguments.runs,
                               "Run directory; several runs with the same tokenizers form an "
                               "ensemble, which averages their probabilities")
          : command.add_option_function<std::string>(
                "run", [&arguments](const std::string& run) { arguments.runs = {run}; },
                "Run directory");
  runs->required();
  add_checkpoint_option(command, arguments.checkpoint);
}

void add_output_option(CLI::App& command, LineArguments& arguments, const char* answers) {
  command.add_option("--output", arguments.output,
                     fmt::format("File for the {}; by default standard output", answers));
}

void add_asking_options(CLI::App& command, LineArguments& arguments, const char* batch_tokens,
                        const char* json) {
  add_number_option(command, named("--batch-tokens", 1, 1000000), &arguments.batch_tokens,
                    batch_tokens);
  add_threads_option(command, arguments.threads);
  command.add_flag("--json", arguments.json, json);
}

void ask(const LineArguments& arguments, const MakeQuestion& make_question) {
  prepare_blas(arguments.threads);
  const RunEnsemble runs(opened_runs(arguments));
  say_slow_products(arguments.precision);
  Workers workers(arguments.threads);
  const Predictor predictor(runs, workers,
                            {.batch_tokens = arguments.batch_tokens, .mask = arguments.mask});
  std::optional<OpenFile> output;
  const Write write = [&output](std::string_view text) {
    if (output) {
      output->write(text);
      return;
    }
    write_exactly(text);
    flush_output();
  };
  const auto question = make_question(predictor, write);
  InputFiles inputs;
  for (const fs::path& run : arguments.runs) {
    inputs.add(kept<KeptRun>(run, arguments.checkpoint).inputs.paths());
  }
  LineInput lines(arguments.input, inputs, arguments.texts);
  std::optional<LineInput> targets;
  if (!arguments.targets.empty()) {
    targets.emplace(arguments.targets, inputs);
  }
  if (arguments.output.empty()) {
    expect_output_apart(inputs);
  } else {
    output = open_output(arguments.output, inputs);
  }
  runs.use([&] {
    ask_lines(lines, targets ? &*targets : nullptr, predictor.reader(), *question, write);
  });
}

}  // namespace tapehead
