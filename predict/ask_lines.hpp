// Asking about lines: the lines that a command reads, and the loop that answers each.
#pragma once

#include "core/files/input_files.hpp"
#include "core/files/open_file.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/unknown_text.hpp"
#include "predict/reader.hpp"

namespace tapehead {

// The lines that a command reads: from its command line, the file of --input or standard input.
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

// What is asked. A command says what the answers are, as they are printed.
class Question {
 public:
  virtual ~Question() = default;

  // May set what is warned of. Throws DataError, without the place, for a line that has no answer.
  virtual void look_at(LineRead& /*read*/) const {}
  // Of lines that were read, in their order. `first`: the number of the first one, from 0.
  virtual std::string answers(std::span<const LineRead> lines, Index first) = 0;
  virtual void end() const {}
};

// Asks about all lines, some at a time; `targets`: null, or a file of as many. Passes on each part
// of the answers to `write`. Warns of what the model does not read, of lines that are not UTF-8 and
// of unknown tokens. Throws DataError, with the place, for a line that cannot be read, when those
// before it are answered, and if there is another number of targets.
void ask_lines(LineInput& lines, LineInput* targets, const Reader& reader, Question& question,
               const std::function<void(std::string_view)>& write);

}  // namespace tapehead
