// Lines that a run is asked about: what its model reads of a user's line, the lines that a command
// reads, and the loop that answers each.
#pragma once

#include "core/files/files.hpp"
#include "core/files/input_output.hpp"
#include "datasets/sequence.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// A line and, where lines are pairs, its target.
struct AskedLine {
  std::string text;
  std::optional<std::string> target{};
};

// A line as tokens.
struct LineRead {
  AskedLine line{};
  std::vector<TokenId> tokens{};         // of the text, without marks around them
  std::vector<TokenId> target_tokens{};  // or the one class of the text
  Index first_text = 0;                  // of a line with two texts: the tokens of the first
  std::vector<Index> masks{};            // which tokens are masked
  std::string warning{};                 // such as that only a part is read
};

// A text and the tokens that its tokenizer made of it.
struct EncodedText {
  const Tokenizer& tokenizer;
  std::string text;
  std::vector<TokenId> tokens;
};

// What a model reads of lines, and predicts.
using LineSource = std::shared_ptr<const Source>;

// The base of all readers. By itself it reads pairs: sources and their targets.
class Reader {
 public:
  explicit Reader(Tokenizers tokenizers) : tokenizers_(std::move(tokenizers)) {}
  virtual ~Reader() = default;

  // Throws DataError, without the place, for a text that is not as the model reads it.
  LineRead read(const AskedLine& line) const;
  std::vector<LineRead> read(std::span<const std::string> lines) const;

  // Whether there is something to predict for a line as a whole: a target or a class. If not,
  // read() throws ConfigError for a target.
  virtual bool has_targets() const { return true; }
  virtual std::string target_text(const LineRead& read) const;

  // The text, and the target if there is one, of which a token may be unknown.
  virtual std::vector<EncodedText> encoded(const LineRead& read) const;

  virtual LineSource source(std::span<const LineRead> lines, const Layout& layout) const;
  // The sequences that predict each token to score once: those of the target or, of running text,
  // those of the line, in windows of at most `context` rows.
  virtual LineSource to_score(const LineRead& read, const Layout& layout, Index context) const;
  // What is read before a model writes.
  virtual std::vector<TokenId> prompt(const LineRead& read) const { return read.tokens; }
  // Whether what it writes goes on with the line, rather than being a target.
  virtual bool goes_on() const { return false; }

 protected:
  const Tokenizer& source_tokenizer() const { return *tokenizers_.source; }
  const Tokenizer& target_tokenizer() const { return *tokenizers_.target; }

 private:
  virtual LineRead read_text(const std::string& text) const;
  virtual std::vector<TokenId> read_target(const std::string& target) const;

  Tokenizers tokenizers_;
};

inline constexpr std::string_view mask_in_text = "<mask>";

// Of models of this config. `one_document`: the training text of a language model has no second
// one. `mask`: what stands for a masked token in a line; throws ConfigError if it is empty.
std::shared_ptr<const Reader> reader_of(const Config& config, const Tokenizers& tokenizers,
                                        bool one_document, std::string_view mask = mask_in_text);

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
