// tapehead fill RUN: predicts masked tokens of lines of text.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/line_input.hpp"
#include "apps/number_option.hpp"
#include "core/files/standard_streams.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/shown.hpp"
#include "datasets/corpus/masking.hpp"
#include "train/evaluation/mask_filler.hpp"
#include "train/evaluation/masked_line.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct FillArguments {
  std::string run;
  std::string checkpoint;
  std::string input;
  std::string mask = "<mask>";
  Index top = 5;
  bool json = false;
  Index threads = default_threads();
};

// On one line.
std::string in_line(const std::string& text) {
  std::string line;
  for (const char byte : printable(text)) {
    line += byte == '\n' ? std::string("\\n") : std::string(1, byte);
  }
  return line;
}

// "probability, tab, token, tab, text" for each candidate, and an empty line after each mask.
std::string lines_of(const std::vector<FilledMask>& masks) {
  std::string lines;
  for (const FilledMask& candidates : masks) {
    for (const Candidate& one : candidates) {
      lines +=
          fmt::format("{:.4f}\t{}\t{}\n", one.probability, in_line(one.token), in_line(one.text));
    }
    lines += "\n";
  }
  return lines;
}

std::string json_of(const std::string& text, const std::vector<FilledMask>& masks) {
  nlohmann::ordered_json json = {{"text", text}, {"masks", nlohmann::ordered_json::array()}};
  for (const FilledMask& candidates : masks) {
    nlohmann::ordered_json& list = json["masks"].emplace_back(nlohmann::ordered_json::array());
    for (const Candidate& one : candidates) {
      list.push_back({{"token", one.token}, {"probability", one.probability}, {"text", one.text}});
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Counts the unknown tokens beside the masks.
void see_unmasked(const SavedRun& run, const std::string& mask, LineInput& input, std::size_t index,
                  const std::string& line) {
  const Tokenizer& tokenizer = *run.tokenizers.source;
  std::vector<TokenId> tokens = masked_line(run, line, mask).tokens;
  std::erase(tokens, mask_id(tokenizer));
  std::string text = line;
  for (std::size_t at = text.find(mask); at != std::string::npos; at = text.find(mask, at + 1)) {
    text.replace(at, mask.size(), " ");
  }
  input.see(tokenizer, index, text, tokens);
}

void fill(const FillArguments& arguments) {
  start_logging(std::make_shared<Console>());
  prepare_blas(arguments.threads);
  InputFiles inputs = inputs_of_run(arguments.run, arguments.checkpoint);
  const SavedRun run(arguments.run, arguments.checkpoint);
  Workers workers(arguments.threads);
  const MaskFiller filler(run, workers, arguments.mask);
  LineInput input(arguments.input, inputs);
  expect_output_apart(inputs);
  for_each_line(input, [&](std::size_t i, const std::string& line) {
    see_unmasked(run, arguments.mask, input, i, line);
    const auto masks = run.use([&] { return filler.fill({line}, arguments.top).front(); });
    write_output(arguments.json ? json_of(line, masks) : lines_of(masks));
  });
}

}  // namespace

void add_fill_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("fill", "Predict masked tokens with a masked language model");
  const auto arguments = std::make_shared<FillArguments>();
  command->add_option("run", arguments->run, "Run directory")->required();
  add_checkpoint_option(*command, arguments->checkpoint);
  add_input_option(*command, arguments->input);
  command->add_option("--mask", arguments->mask, "What stands for a masked token in a line")
      ->capture_default_str();
  add_number_option(*command,
                    {.name = "--top",
                     .help = "Candidates for each mask, the most likely ones",
                     .minimum = 1,
                     .maximum = 1000000},
                    &arguments->top);
  add_threads_option(*command, arguments->threads);
  command->add_flag("--json", arguments->json, "One JSON object for each line");
  command->callback([arguments] { fill(*arguments); });
}

}  // namespace tapehead
