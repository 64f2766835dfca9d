// What a model reads of a user's line, the lines of a command, and the loop that answers them.
#pragma once

#include "core/files/input_output.hpp"
#include "datasets/text/text_options.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// A line and, if lines are pairs, its target.
struct AskedLine {
  std::string text;
  std::optional<std::string> target{};
};

struct LineRead {
  AskedLine line{};
  std::vector<TokenId> tokens{};         // of the text, without marks around them
  std::vector<TokenId> target_tokens{};  // or the class of the text
  Index first_text = 0;                  // for a line with two texts: the tokens of the first
  std::vector<Index> masks{};            // the positions of masked tokens
  std::string warning{};                 // for example, that only a part is read
};

struct EncodedText {
  const Tokenizer& tokenizer;
  std::string text;
  std::vector<TokenId> tokens;
};

// What a model reads for some lines and predicts.
using LineSource = std::shared_ptr<const Source>;

// The base of all readers. Reads pairs of a source and a target itself.
class Reader {
 public:
  explicit Reader(Tokenizers tokenizers) : tokenizers_(std::move(tokenizers)) {}
  virtual ~Reader() = default;

  // Throws DataError, without a place, for a text that the model cannot read.
  LineRead read(const AskedLine& line) const;
  std::vector<LineRead> read(std::span<const std::string> lines) const;

  // Whether lines may have a target or a class. If not, read() throws ConfigError for a target.
  virtual bool has_targets() const { return true; }
  virtual std::string target_text(const LineRead& read) const;

  // The text and the target, if there is one, in which unknown tokens are looked for.
  virtual std::vector<EncodedText> encoded(const LineRead& read) const;

  virtual LineSource source(std::span<const LineRead> lines, const Layout& layout) const;
  // The sequences that predict each scored token once: of the target or, for running text, of the
  // line in windows of at most `context` rows.
  virtual LineSource to_score(const LineRead& read, const Layout& layout, Index context) const;
  virtual std::vector<TokenId> prompt(const LineRead& read) const { return read.tokens; }
  // Whether the generated text continues the line, rather than being a target.
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

// The reader for models of this config. `one_document`: a language model's training text is only
// one document. `mask`: the text that stands for a masked token; throws ConfigError if it is empty.
std::shared_ptr<const Reader> reader_of(const Config& config, const Tokenizers& tokenizers,
                                        bool one_document, std::string_view mask = mask_in_text);

// The input lines of a command: from the command line, the file of --input, or standard input.
class LineInput {
 public:
  // An empty `path` means standard input; a file is added to `inputs`. If there are `texts`, these
  // are the lines. Throws IoError.
  LineInput(const std::string& path, InputFiles& inputs, std::vector<std::string> texts = {});

  // At most `most` further lines; none at the end. Warns about lines that are not UTF-8.
  std::vector<std::string> next(Index most = 1024);
  Index read() const { return read_; }  // number of lines read

  // "file:3" for line number 3, counted from 1.
  std::string place(Index number) const;

  // Counts the unknown tokens of a line. say_unknown() warns if there were any.
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

// The question of a command about lines. Gives the answers as they are printed.
class Question {
 public:
  virtual ~Question() = default;

  // May set `read.warning`. Throws DataError, without a place, for a line that has no answer.
  virtual void look_at(LineRead& /*read*/) const {}
  // The answers for these lines, in order. `first`: the number of the first line, from 0.
  virtual std::string answers(std::span<const LineRead> lines, Index first) = 0;
  virtual void end() const {}
};

// Asks about all lines, some at a time, and passes each part of the answers to `write`. `targets`:
// null, or one target for each line. Warns about text that the model does not read, invalid UTF-8
// and unknown tokens. Throws DataError, with the place, for a line that cannot be read, after the
// lines before it are answered; and if the numbers of lines and targets differ.
void ask_lines(LineInput& lines, LineInput* targets, const Reader& reader, Question& question,
               const std::function<void(std::string_view)>& write);

}  // namespace tapehead
