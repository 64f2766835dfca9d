// WordPiece as in BERT (Wu et al. 2016, "Google's neural machine translation system", section 4.1;
// Devlin et al. 2019): each word is cut into the longest entries of the vocabulary, from its
// beginning on. Entries that continue a word begin with "##".
#pragma once

#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

struct WordPieceOptions {
  BasicWordOptions words{};
  Index longest_word = 100;  // in characters; longer words are unknown
};

// The options of BERT: uncased (lower case, no accents), or cased (text as it is).
inline WordPieceOptions word_piece_options(bool lower_case) {
  return {.words = {.strip_accents = lower_case, .lower_case = lower_case}};
}

class WordPiece : public Tokenizer {
 public:
  static constexpr std::string_view kind = "word_piece";
  static constexpr std::string_view goes_on = "##";

  // `entries`: without the marks. Throws DataError if one is empty or contains a line end.
  WordPiece(std::vector<std::string> entries, const WordPieceOptions& options);

  Index size() const override { return vocabulary_.size(); }
  // A word that cannot be cut into entries is one unknown token.
  std::vector<TokenId> encode(std::string_view text) const override;
  // Words with spaces between them, but no space before . , ? and !
  std::string decode(const std::vector<TokenId>& tokens) const override;
  // The unknown words, after lower-casing and stripping of accents.
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override { return vocabulary_.entry(token); }
  void save(const fs::path& stem) const override;
  WordFronts word_fronts() const override { return {.goes_on = goes_on}; }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const WordPieceOptions& options() const { return options_; }

 private:
  std::vector<TokenId> tokens_of_word(std::string_view word) const;

  Vocabulary vocabulary_;
  WordPieceOptions options_;
};

// Trains at most `vocabulary` entries, marks included: the characters of the text, then merges of
// neighbours within a word. Each step merges the most frequent pair. Ties go to the lower left id,
// then to the lower right id. A pair that occurs once is not merged.
WordPiece train_word_piece(std::span<const std::string> lines, Index vocabulary,
                           const WordPieceOptions& options);

// From the entries of a file that `save` wrote. Throws DataError.
WordPiece word_piece_of(const std::vector<std::string>& saved);

}  // namespace tapehead
