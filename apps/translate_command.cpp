// tapehead translate RUN...: translates lines of text.
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/number_option.hpp"
#include "apps/run_ensemble_option.hpp"
#include "apps/translated_output.hpp"
#include "core/errors.hpp"
#include "core/files/open_file.hpp"
#include "core/files/standard_streams.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/text/text_reader.hpp"
#include "datasets/tokenizers/unknown_text.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/translator.hpp"
#include "train/options/application.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct TranslateArguments {
  RunChoice runs;
  std::string input;
  std::string output;
  Index beam = 0;
  double length_penalty = -1;
  Index n_best = 1;
  Index batch_tokens = decoding_batch_tokens;
  Index threads = default_threads();
  bool json = false;
};

constexpr Index lines_at_a_time = 1024;

void expect_search(const TranslateArguments& arguments, const Config& config) {
  const char* const option = arguments.beam > 0              ? "--beam"
                             : arguments.length_penalty >= 0 ? "--length-penalty"
                             : arguments.n_best > 1          ? "--n-best"
                                                             : nullptr;
  if (option != nullptr && labels_in_one_pass(config)) {
    throw ConfigError(
        fmt::format("{}: the model gives its labels in one pass, without a search", option));
  }
}

DecodingOptions decoding_for(const TranslateArguments& arguments, const Config& config) {
  expect_search(arguments, config);
  DecodingOptions options = decoding_options(config.evaluation);
  options.beam = arguments.beam > 0 ? arguments.beam : options.beam;
  options.length_penalty =
      arguments.length_penalty >= 0 ? arguments.length_penalty : options.length_penalty;
  options.best = arguments.n_best;
  options.scores = arguments.n_best > 1 || arguments.json;
  if (options.best > options.beam) {
    throw ConfigError(
        fmt::format("--n-best {} asks for more than the beam's {} hypotheses: raise --beam",
                    options.best, options.beam));
  }
  if (arguments.length_penalty >= 0 && options.beam == 1) {
    throw ConfigError(
        "--length-penalty ranks the hypotheses of a beam search, and greedy decoding has one: "
        "raise --beam");
  }
  return options;
}

// To standard output, if there is no file.
void write_text(std::optional<OpenFile>& file, const std::string& text) {
  if (file) {
    file->write(text);
    return;
  }
  write_output(text);
  flush_output();
}

// Reports input that is not translated unchanged, when it is read, and counts translations that
// were cut.
class LineWatch {
 public:
  LineWatch(const Translator& translator, const SavedRun& run, std::string name)
      : translator_(translator),
        tokenizer_(*run.tokenizers.source),
        max_extra_length_(run.config.evaluation.max_extra_length),
        name_(std::move(name)) {}

  void see(const std::string& line, const std::vector<TokenId>& tokens) {
    ++number_;
    if (const auto fault = utf8_fault(line, name_, static_cast<std::size_t>(number_))) {
      spdlog::warn("{}", *fault);
    }
    const auto count = static_cast<Index>(tokens.size());
    if (count > translator_.most_tokens()) {
      spdlog::warn("line {} has {} tokens; only the first {} are translated", number_, count,
                   translator_.most_tokens());
    }
    unknown_.see(tokenizer_, line, tokens, number_);
  }
  void see(const std::vector<Translation>& translations) {
    cut_ += translations.front().ended ? 0 : 1;
  }
  void say_at_end() const {
    if (unknown_.any()) {
      spdlog::warn("{}: {}", name_, describe(unknown_));
    }
    if (cut_ > 0) {
      spdlog::warn(
          "{}: {} of {} translations were cut because they had not ended: the most is {} tokens "
          "more than the source has (evaluation.max_extra_length), or the model's positions",
          name_, cut_, number_, max_extra_length_);
    }
  }

 private:
  const Translator& translator_;
  const Tokenizer& tokenizer_;
  Index max_extra_length_;
  std::string name_;
  Index number_ = 0;
  Index cut_ = 0;
  UnknownText unknown_;
};

void translate_lines(const TranslateArguments& arguments, const Translator& translator,
                     TextReader& input, LineWatch& watch, std::optional<OpenFile>& output) {
  Index done = 0;
  for (auto lines = input.next(lines_at_a_time); !lines.empty();
       lines = input.next(lines_at_a_time)) {
    const auto results =
        translator.translate(lines, [&](std::size_t line, const std::vector<TokenId>& tokens) {
          watch.see(lines[line], tokens);
        });
    std::string text;
    for (std::size_t i = 0; i < results.size(); ++i, ++done) {
      watch.see(results[i]);
      text += arguments.json ? translations_json(results[i], lines[i])
                             : translations_text(results[i], done, arguments.n_best > 1);
    }
    write_text(output, text);
  }
  watch.say_at_end();
}

// None for standard output.
std::optional<OpenFile> open_output_of(const TranslateArguments& arguments,
                                       const InputFiles& inputs) {
  if (arguments.output.empty()) {
    expect_output_apart(inputs);
    return {};
  }
  return open_output(arguments.output, inputs);
}

void translate(const TranslateArguments& arguments) {
  start_logging(std::make_shared<Console>());
  prepare_blas(arguments.threads);
  // Before the output is opened, so that a fault in run or input does not destroy an earlier file.
  const ChosenRuns runs(arguments.runs);
  Workers workers(arguments.threads);
  const Translator translator(runs.ensemble(), workers,
                              decoding_for(arguments, runs.first().config), arguments.batch_tokens);
  const auto input =
      arguments.input.empty() ? std::optional<OpenFile>() : OpenFile(arguments.input, O_RDONLY);
  const int descriptor = input ? input->descriptor() : STDIN_FILENO;
  const std::string name = input ? arguments.input : "standard input";
  InputFiles inputs = inputs_of_runs(arguments.runs);
  inputs.add(descriptor, name);
  std::optional<OpenFile> output = open_output_of(arguments, inputs);
  TextReader reader(descriptor, name);
  LineWatch watch(translator, runs.first(), name);
  runs.ensemble().use([&] { translate_lines(arguments, translator, reader, watch, output); });
}

}  // namespace

void add_translate_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("translate", "Translate lines of text with a trained model");
  const auto arguments = std::make_shared<TranslateArguments>();
  add_run_ensemble_options(*command, arguments->runs);
  command->add_option("--input", arguments->input, "File of lines; by default standard input");
  command->add_option("--output", arguments->output,
                      "File for the translations; by default standard output");
  add_number_option(
      *command,
      {.name = "--beam",
       .help = "Hypotheses of the beam search, 1: greedy; by default as the config says",
       .minimum = 1,
       .maximum = 256},
      &arguments->beam);
  add_number_option(
      *command,
      {.name = "--length-penalty",
       .help = "A score is divided by the length to this power; by default as the config says",
       .minimum = 0,
       .maximum = 10},
      &arguments->length_penalty);
  add_number_option(*command,
                    {.name = "--n-best",
                     .help = "Translations for each line, with their scores",
                     .minimum = 1,
                     .maximum = 256},
                    &arguments->n_best);
  add_number_option(*command,
                    {.name = "--batch-tokens",
                     .help = "Source tokens translated together",
                     .minimum = 1,
                     .maximum = 1000000},
                    &arguments->batch_tokens);
  add_threads_option(*command, arguments->threads);
  command->add_flag("--json", arguments->json,
                    "One JSON object for each line, with the scores of its translations");
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace tapehead
