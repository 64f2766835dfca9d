// What the model of a run reads of a user's line.
#pragma once

#include "datasets/sequence.hpp"
#include "datasets/text/text_front.hpp"
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

}  // namespace tapehead
