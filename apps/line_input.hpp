// The lines that a command reads: from its command line, the file of --input or standard input.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/files/input_files.hpp"
#include "core/files/open_file.hpp"
#include "core/files/standard_streams.hpp"
#include "datasets/text/text_reader.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/unknown_text.hpp"

namespace tapehead {

CLI::Option* add_input_option(CLI::App& command, std::string& input);

class LineInput {
 public:
  // `path`: empty for standard input. Adds it to the inputs of the command. If there are `texts`,
  // they are the lines. Throws IoError.
  LineInput(const std::string& path, InputFiles& inputs, std::vector<std::string> texts = {});

  // Further lines, about a thousand at most; none at the end. Warns of lines that are not UTF-8.
  std::vector<std::string> next();

  // "file:3" for the line with this index among those that `next` returned last.
  std::string place(std::size_t index) const;

  // Counts the tokens of such a line that are unknown; `say_unknown` warns if there were any.
  void see(const Tokenizer& tokenizer, std::size_t index, const std::string& line,
           const std::vector<TokenId>& tokens);
  void say_unknown() const;

 private:
  std::vector<std::string> texts_;
  bool from_texts_;
  std::optional<OpenFile> file_;
  std::string name_;
  TextReader reader_;
  Index before_ = 0;  // lines returned before those of the last call
  Index last_ = 0;    // returned by the last call
  UnknownText unknown_;
};

// Calls `each(index, line)` for all lines, names the line in a DataError, and passes the output on
// after each part. At the end it warns of unknown tokens.
template <class Each>
void for_each_line(LineInput& input, const Each& each) {
  for (auto lines = input.next(); !lines.empty(); lines = input.next()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      try {
        each(i, lines[i]);
      } catch (const DataError& error) {
        throw DataError(fmt::format("{}: {}", input.place(i), error.what()));
      }
    }
    flush_output();
  }
  input.say_unknown();
}

}  // namespace tapehead
