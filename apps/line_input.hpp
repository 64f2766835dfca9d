// The lines that a command reads: from the file of --input, or from standard input.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/files/input_files.hpp"
#include "core/files/open_file.hpp"
#include "datasets/text/text_reader.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/unknown_text.hpp"

namespace tapehead {

void add_input_option(CLI::App& command, std::string& input);

class LineInput {
 public:
  // `path`: empty for standard input. Adds it to the inputs of the command. Throws IoError.
  LineInput(const std::string& path, InputFiles& inputs);

  // Further lines, about a thousand at most; none at the end. Warns of lines that are not UTF-8.
  std::vector<std::string> next();

  // "file:3" for the line with this index among those that `next` returned last.
  std::string place(std::size_t index) const;

  // Counts the tokens of such a line that are unknown; `say_unknown` warns if there were any.
  void see(const Tokenizer& tokenizer, std::size_t index, const std::string& line,
           const std::vector<TokenId>& tokens);
  void say_unknown() const;

 private:
  std::optional<OpenFile> file_;
  std::string name_;
  TextReader reader_;
  Index before_ = 0;  // lines returned before those of the last call
  Index last_ = 0;    // returned by the last call
  UnknownText unknown_;
};

}  // namespace tapehead
