// The lines that a command reads: from its command line, the file of --input or standard input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/files/input_files.hpp"
#include "core/files/open_file.hpp"
#include "datasets/text/text_reader.hpp"
#include "datasets/tokenizers/unknown_text.hpp"
#include "predict/reader.hpp"

namespace tapehead {

class LineInput {
 public:
  // `path`: empty for standard input. Adds it to the inputs of the command. If there are `texts`,
  // they are the lines. Throws IoError.
  LineInput(const std::string& path, InputFiles& inputs, std::vector<std::string> texts = {});

  // Further lines, at most so many; none at the end. Warns of lines that are not UTF-8.
  std::vector<std::string> next(Index most = 1024);
  Index read() const { return read_; }  // lines so far

  // "file:3" for the line with this number, from 1.
  std::string place(Index number) const;

  // Counts the tokens of this line that are unknown; `say_unknown` warns if there were any.
  void see(const EncodedText& text, Index number);
  void say_unknown() const;

 private:
  std::vector<std::string> texts_;
  bool from_texts_;
  std::optional<OpenFile> file_;
  std::string name_;
  TextReader reader_;
  Index read_ = 0;
  UnknownText unknown_;
};

}  // namespace tapehead
