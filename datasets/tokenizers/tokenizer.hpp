// Tokenizers convert text to token ids and back. Every vocabulary begins with the same three marks.
// Also the types and options of tokenizers, and counts of the text that they lose.
#pragma once

#include "core/fields.hpp"
#include "datasets/tokenizers/pretokenization.hpp"

namespace tapehead {

constexpr TokenId unknown_id = 0;
constexpr TokenId begin_id = 1;
constexpr TokenId end_id = 2;
constexpr TokenId mark_count = 3;

// The id of entry `number` after the marks, counted from 0.
constexpr TokenId entry_id(Index number) { return mark_count + static_cast<TokenId>(number); }

// The marks around a text. begin_after: the begin mark follows the text, and a decoder begins to
// write there. end_before: the end mark of another document precedes the text.
struct AddedMarks {
  std::optional<TokenId> before, behind;

  bool operator==(const AddedMarks&) const = default;
  static const AddedMarks none, begin, end, begin_and_end, begin_after, end_before;
};

inline constexpr AddedMarks AddedMarks::none{{}, {}};
inline constexpr AddedMarks AddedMarks::begin{begin_id, {}};
inline constexpr AddedMarks AddedMarks::end{{}, end_id};
inline constexpr AddedMarks AddedMarks::begin_and_end{begin_id, end_id};
inline constexpr AddedMarks AddedMarks::begin_after{{}, begin_id};
inline constexpr AddedMarks AddedMarks::end_before{end_id, {}};

inline constexpr std::string_view unknown_mark_text = "\u2047";  // as SentencePiece writes it
inline constexpr std::string_view space_shown = "\u2581";        // for a space in an entry

// Separates the lines of a text. A text of a pair has only one line.
inline constexpr std::string_view line_end = "\n";

// How subword entries show where a word begins. Either entries that begin a word have the prefix
// `begins`, which stands for the space before the word, or entries that continue a word have the
// prefix `goes_on`. Both prefixes are empty without subwords.
struct WordFronts {
  std::string_view begins{}, goes_on{};
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual Index size() const = 0;  // entries of the vocabulary, marks included
  virtual std::vector<TokenId> encode(std::string_view text) const = 0;  // without marks
  // Takes a part of at least `bytes` bytes, or all, from the front of a line. The tokens of the
  // parts, one after another, are the tokens of the line.
  virtual std::string_view take_part(std::string_view& line, std::size_t bytes) const {
    return tapehead::take_part(line, bytes);
  }
  // Begin and end marks are left out; the unknown mark becomes "⁇".
  virtual std::string decode(const std::vector<TokenId>& tokens) const = 0;
  // The parts of the text that have no entry and that `decode` would not give back, in order.
  virtual std::vector<std::string> unknown_parts(std::string_view /*text*/) const { return {}; }
  virtual std::string entry(TokenId token) const = 0;  // how one entry is shown
  virtual void save(const fs::path& stem) const = 0;   // writes stem + ".vocabulary" or ".model"
  virtual WordFronts word_fronts() const { return {}; }
  // The bytes of the SentencePiece model; null for other tokenizers.
  virtual const std::string* model() const { return nullptr; }
  // Whether `save` would write the same file for both tokenizers.
  bool shares_file_with(const Tokenizer& other) const {
    return this == &other || (model() && other.model() && *model() == *other.model());
  }
};

// The entry without the U+2581 at its beginning.
std::string_view after_spaces(std::string_view entry);

// Whether an entry begins a word. The entries of the tokenizer must be parts of words.
bool begins_word(const Tokenizer& tokenizer, TokenId token);

// For each token of a line, the number of its word, from 0. Spaces separate words; with WordPiece,
// punctuation does too. Nullopt if the tokenizer's entries are not parts of words, but whole words,
// characters or bytes.
std::optional<std::vector<Index>> words_of_tokens(const Tokenizer& tokenizer,
                                                  const std::vector<TokenId>& tokens);

// The tokenizers of a task, one for each side. A joint tokenizer gives both sides the same ids; the
// target has only the first ids of the source.
struct Tokenizers {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;
};

enum class TokenizerKind { word, character, bpe, unigram, byte, byte_bpe, word_piece };
constexpr ValueNames<7> value_names(TokenizerKind) {
  return {"word", "character", "bpe", "unigram", "byte", "byte_bpe", "word_piece"};
}
constexpr bool is_sentencepiece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

enum class Normalization { identity, nfkc, nfkc_cf };
constexpr ValueNames<3> value_names(Normalization) { return {"identity", "nfkc", "nfkc_cf"}; }

// How a tokenizer is made from lines of text.
struct PieceOptions {
  TokenizerKind kind = TokenizerKind::bpe;
  Index vocabulary = 10000;  // most entries, marks included; bytes always have 256
  // For SentencePiece alone:
  Normalization normalization = Normalization::identity;
  double character_coverage = 1.0;
  bool running_text = false;  // spaces stay as they are, and there is an entry for a line end
  std::string place{};        // of the lines, for errors
  // For WordPiece alone:
  bool lower_case = false;  // drops case and accents
};

struct UnknownText {
  Index tokens = 0;  // tokens that became the unknown mark
  Index lines = 0;   // lines with such tokens
  Index of = 0;      // number of all tokens
  std::string first;
  Index first_line = 0;  // counted from 1

  // Adds a line, numbered from 1, and the tokens that the tokenizer made of it.
  void see(const Tokenizer& tokenizer, std::string_view text, std::span<const TokenId> tokens,
           Index line);
  bool any() const { return tokens > 0; }
};

// "3 of 120 tokens are unknown to its vocabulary, on 2 lines; the first is `99`, on line 1".
std::string describe(const UnknownText& unknown);

}  // namespace tapehead
