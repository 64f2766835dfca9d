// tapehead tokenize RUN [TEXT...]: the tokens of texts, as a run's tokenizer cuts them.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/line_input.hpp"
#include "core/files/standard_streams.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct TokenizeArguments {
  std::string run;
  std::vector<std::string> texts;
  std::string input;
  bool target = false;
  bool json = false;
};

// "token, blank, id", with tabs between them.
std::string line_of(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string line;
  for (const TokenId token : tokens) {
    line += fmt::format("{}{} {}", line.empty() ? "" : "\t", tokenizer.entry(token), token);
  }
  return line + "\n";
}

std::string json_of(const Tokenizer& tokenizer, const std::string& text,
                    const std::vector<TokenId>& tokens) {
  nlohmann::ordered_json json = {
      {"text", text}, {"tokens", nlohmann::ordered_json::array()}, {"ids", tokens}};
  for (const TokenId token : tokens) {
    json["tokens"].push_back(tokenizer.entry(token));
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void tokenize(const TokenizeArguments& arguments) {
  start_logging(std::make_shared<Console>());
  InputFiles inputs = inputs_of_run(arguments.run);
  const Tokenizers tokenizers = load_tokenizers(arguments.run);
  const Tokenizer& tokenizer = *(arguments.target ? tokenizers.target : tokenizers.source);
  LineInput input(arguments.input, inputs, arguments.texts);
  expect_output_apart(inputs);
  for_each_line(input, [&](std::size_t i, const std::string& line) {
    const std::vector<TokenId> tokens = tokenizer.encode(line);
    input.see(tokenizer, i, line, tokens);
    write_output(arguments.json ? json_of(tokenizer, line, tokens) : line_of(tokenizer, tokens));
  });
}

}  // namespace

void add_tokenize_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("tokenize", "Print the tokens of texts and their ids in a run");
  const auto arguments = std::make_shared<TokenizeArguments>();
  command->add_option("run", arguments->run, "Run directory")->required();
  auto* texts = command->add_option("text", arguments->texts,
                                    "Texts; by default lines of --input or of standard input");
  add_input_option(*command, arguments->input)->excludes(texts);
  command->add_flag("--target", arguments->target,
                    "As a target, where targets have a tokenizer of their own or fewer tokens");
  command->add_flag("--json", arguments->json, "One JSON object for each text");
  command->callback([arguments] { tokenize(*arguments); });
}

}  // namespace tapehead
