// tapehead classify RUN: gives classes to lines of text.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/line_input.hpp"
#include "apps/number_option.hpp"
#include "core/errors.hpp"
#include "core/files/standard_streams.hpp"
#include "core/product/blas_kernels.hpp"
#include "train/evaluation/classifier.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct ClassifyArguments {
  std::string run;
  std::string checkpoint;
  std::string input;
  Index top = 1;
  bool json = false;
  Index batch_tokens = decoding_batch_tokens;
  Index threads = default_threads();
};

// "label, tab, probability", one pair after another.
std::string line_of(const std::vector<LikelyClass>& classes) {
  std::string line;
  for (const LikelyClass& one : classes) {
    line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", one.label, one.probability);
  }
  return line + "\n";
}

std::string json_of(const std::string& text, const std::vector<LikelyClass>& classes) {
  nlohmann::ordered_json json = {{"text", text}, {"classes", nlohmann::ordered_json::array()}};
  for (const LikelyClass& one : classes) {
    json["classes"].push_back({{"label", one.label}, {"probability", one.probability}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

ClassifiedText read_line(const Classifier& classifier, const Tokenizer& tokenizer, LineInput& input,
                         std::size_t i, const std::string& line) {
  try {
    ClassifiedText text = classifier.read(line);
    if (text.cut) {
      spdlog::warn("{}: the line is longer than task.max_length; only its first tokens are read",
                   input.place(i));
    }
    input.see(tokenizer, i, line, text.tokens);
    return text;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", input.place(i), error.what()));
  }
}

void classify(const ClassifyArguments& arguments) {
  start_logging(std::make_shared<Console>());
  prepare_blas(arguments.threads);
  InputFiles inputs = inputs_of_run(arguments.run, arguments.checkpoint);
  const SavedRun run(arguments.run, arguments.checkpoint);
  Workers workers(arguments.threads);
  const Classifier classifier(run, workers, arguments.batch_tokens);
  LineInput input(arguments.input, inputs);
  expect_output_apart(inputs);
  for (auto lines = input.next(); !lines.empty(); lines = input.next()) {
    std::vector<ClassifiedText> texts;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      texts.push_back(read_line(classifier, *run.tokenizers.source, input, i, lines[i]));
    }
    const auto results = run.use([&] { return classifier.classify(texts, arguments.top); });
    for (std::size_t i = 0; i < lines.size(); ++i) {
      write_output(arguments.json ? json_of(lines[i], results[i]) : line_of(results[i]));
    }
    flush_output();
  }
  input.say_unknown();
}

}  // namespace

void add_classify_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("classify", "Give classes to lines of text with a trained model");
  const auto arguments = std::make_shared<ClassifyArguments>();
  command->add_option("run", arguments->run, "Run directory")->required();
  add_checkpoint_option(*command, arguments->checkpoint);
  add_input_option(*command, arguments->input);
  add_number_option(*command,
                    {.name = "--top",
                     .help = "Classes for each line, the most likely ones",
                     .minimum = 1,
                     .maximum = 1000000},
                    &arguments->top);
  add_number_option(*command,
                    {.name = "--batch-tokens",
                     .help = "Tokens classified together",
                     .minimum = 1,
                     .maximum = 1000000},
                    &arguments->batch_tokens);
  add_threads_option(*command, arguments->threads);
  command->add_flag("--json", arguments->json, "One JSON object for each line");
  command->callback([arguments] { classify(*arguments); });
}

}  // namespace tapehead
