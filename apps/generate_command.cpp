// tapehead generate RUN...: goes on with a text, or writes outputs for sources, by sampling.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/generated_output.hpp"
#include "apps/inputs.hpp"
#include "apps/number_option.hpp"
#include "apps/run_ensemble_option.hpp"
#include "core/errors.hpp"
#include "core/files/standard_streams.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/unknown_text.hpp"
#include "train/evaluation/generator.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct GenerateArguments {
  RunChoice runs;
  std::string prompt;
  std::filesystem::path prompts;
  GeneratorOptions options;
  Index threads = default_threads();
  bool json = false;
};

std::vector<std::string> prompts_of(const GenerateArguments& arguments) {
  return arguments.prompts.empty() ? std::vector{arguments.prompt} : read_lines(arguments.prompts);
}

void expect_composable(const GenerateArguments& arguments) {
  const GeneratorOptions& options = arguments.options;
  if (options.beam == 0) {
    return;
  }
  const SamplingOptions defaults;
  const SamplingOptions& sampling = options.sampling;
  if (sampling.temperature != defaults.temperature || sampling.top_k != defaults.top_k ||
      sampling.top_p != defaults.top_p || sampling.min_p != defaults.min_p ||
      options.seed != GeneratorOptions{}.seed) {
    throw ConfigError(
        "--beam searches and does not sample: leave out --temperature, --top-k, "
        "--top-p, --min-p and --seed, or --beam");
  }
  if (options.samples > options.beam) {
    throw ConfigError(
        fmt::format("--count {} asks for more than the beam's {} hypotheses: raise --beam",
                    options.samples, options.beam));
  }
}

// Says what the model will not read as it is written.
void say_about_prompts(const std::vector<std::string>& prompts, const SavedRun& run,
                       const Generator& generator, const std::string& name) {
  UnknownText unknown;
  Index number = 0;
  for (const std::string& prompt : prompts) {
    ++number;
    const std::vector<TokenId> tokens = run.tokenizers.source->encode(prompt);
    unknown.see(*run.tokenizers.source, prompt, tokens, number);
    const Index read = std::ssize(generator.read_of(prompt));
    if (std::ssize(tokens) > read) {
      spdlog::warn("{}: prompt {} has {} tokens; the model reads {} of them", name, number,
                   tokens.size(), read);
    }
  }
  if (unknown.any()) {
    spdlog::warn("{}: {}", name, describe(unknown));
  }
}

void generate(const GenerateArguments& arguments) {
  start_logging(std::make_shared<Console>());
  prepare_blas(arguments.threads);
  expect_composable(arguments);
  const ChosenRuns runs(arguments.runs);
  InputFiles inputs = inputs_of_runs(arguments.runs);
  const std::string name = arguments.prompts.empty() ? "--prompt" : arguments.prompts.string();
  if (!arguments.prompts.empty()) {
    inputs.add(arguments.prompts);
  }
  expect_output_apart(inputs);
  const std::vector<std::string> prompts = prompts_of(arguments);
  Workers workers(arguments.threads);
  const Generator generator(runs.ensemble(), workers, arguments.options);
  say_about_prompts(prompts, runs.first(), generator, name);
  const GeneratedOutput output({.json = arguments.json,
                                .of_text = runs.first().config.task.kind().of_text(),
                                .samples = arguments.options.samples},
                               prompts);
  runs.ensemble().use([&] {
    output.begin();
    const auto generated = generator.generate(prompts, output.each());
    output.end(generated);
    flush_output();
    say_how_it_went(generated, arguments.options, generator);
  });
}

void add_sampling_options(CLI::App& command, SamplingOptions& sampling) {
  add_number_option(command,
                    {.name = "--temperature",
                     .help = "Logits are divided by it; 0: always the most likely token",
                     .minimum = 0,
                     .maximum = 100},
                    &sampling.temperature);
  add_number_option(command,
                    {.name = "--top-k",
                     .help = "Draw from the K most likely tokens only; 0: from all",
                     .minimum = 0,
                     .maximum = 1000000},
                    &sampling.top_k);
  add_number_option(
      command,
      {.name = "--top-p",
       .help = "Draw from the fewest most likely tokens with this probability together",
       .minimum = 0,
       .maximum = 1,
       .exclusive_minimum = true},
      &sampling.top_p);
  add_number_option(
      command,
      {.name = "--min-p",
       .help = "Draw from tokens at least this many times as likely as the most likely one",
       .minimum = 0,
       .maximum = 1},
      &sampling.min_p);
}

}  // namespace

void add_generate_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("generate", "Go on with a text, by sampling from a trained model");
  const auto arguments = std::make_shared<GenerateArguments>();
  GeneratorOptions& options = arguments->options;
  add_run_ensemble_options(*command, arguments->runs);
  auto* prompt = command->add_option("--prompt", arguments->prompt, "Text to go on with");
  command->add_option("--prompts", arguments->prompts, "File of such texts, one a line")
      ->excludes(prompt);
  add_number_option(
      *command,
      {.name = "--count", .help = "Samples of each prompt", .minimum = 1, .maximum = 10000},
      &options.samples);
  add_number_option(*command,
                    {.name = "--max-tokens",
                     .help = "Tokens of a sample, at most",
                     .minimum = 1,
                     .maximum = 10000000},
                    &options.max_tokens);
  add_sampling_options(*command, options.sampling);
  add_number_option(*command,
                    {.name = "--beam",
                     .help = "Instead of sampling, the best of a beam search this wide; it ends "
                             "with the context",
                     .minimum = 1,
                     .maximum = 256},
                    &options.beam);
  command->add_option("--stop", options.stop, "Text that ends a sample, which is without it");
  add_number_option(*command,
                    {.name = "--seed",
                     .help = "Seed of the draws; the same gives the same texts",
                     .minimum = 0,
                     .maximum = 1e15},
                    &options.seed);
  add_threads_option(*command, arguments->threads);
  command->add_flag("--json", arguments->json, "Print a line of JSON for each sample");
  command->callback([arguments] { generate(*arguments); });
}

}  // namespace tapehead
