// tapehead tokenize RUN [TEXT...]: shows the tokens that a run's tokenizer makes of texts.

#include "apps/commands.hpp"
#include "apps/line_command.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

namespace {

struct TokenizeArguments {
  std::string run;
  std::vector<std::string> texts;
  std::string input;
  bool target = false;
  bool json = false;
};

struct KeptTokenizers {
  KeptTokenizers(const fs::path& run, const std::string& /*checkpoint*/)
      : inputs(inputs_of_run(run)), tokenizers(load_tokenizers(run)) {}

  InputFiles inputs;
  Tokenizers tokenizers;
};

class TokensOf : public Question {
 public:
  TokensOf(const Tokenizer& tokenizer, bool json) : tokenizer_(tokenizer), json_(json) {}

  std::string answers(std::span<const LineRead> lines, Index) override {
    const auto entry = [&](TokenId token) { return tokenizer_.entry(token); };
    const auto with_id = [&](TokenId token) { return fmt::format("{} {}", entry(token), token); };
    std::string text;
    for (const LineRead& read : lines) {
      text += json_ ? json_text({{"text", read.line.text},
                                 {"tokens", mapped(read.tokens, entry)},
                                 {"ids", read.tokens}})
                    : join(mapped(read.tokens, with_id), "\t");
      text += '\n';
    }
    return text;
  }

 private:
  const Tokenizer& tokenizer_;
  bool json_;
};

void tokenize_texts(const TokenizeArguments& arguments) {
  auto [inputs, tokenizers] = kept<KeptTokenizers>(arguments.run);
  const auto& tokenizer = arguments.target ? tokenizers.target : tokenizers.source;
  LineInput input(arguments.input, inputs, arguments.texts);
  expect_output_apart(inputs);
  TokensOf question(*tokenizer, arguments.json);
  const Reader reader({.source = tokenizer, .target = tokenizer});
  ask_lines(input, nullptr, reader, question, [](std::string_view text) {
    write_exactly(text);
    flush_output();
  });
}

}  // namespace

const Command tokenize_command(90, [](CLI::App& program) {
  const auto [command, arguments] = add_command<TokenizeArguments>(
      program, "tokenize", "Print the tokens of texts and their ids in a run", tokenize_texts);
  command.add_option("run", arguments.run, "Run directory")->required();
  auto* texts = command.add_option("text", arguments.texts,
                                   "Texts; by default lines of --input or of standard input");
  add_input_option(command, arguments.input)->excludes(texts);
  command.add_flag("--target", arguments.target,
                   "Read the texts as targets, if targets have another tokenizer or fewer tokens");
  command.add_flag("--json", arguments.json, "One JSON object for each text");
});

}  // namespace tapehead
