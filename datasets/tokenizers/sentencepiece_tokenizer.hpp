// The tokenizer over a SentencePiece model (Kudo and Richardson 2018).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sentencepiece_processor.h>

#include "core/random/draws.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_kind.hpp"

namespace tapehead {

// The pieces to cut text into: all of a model, or those that it does not mark unused.
enum class Pieces { all, used };

class SentencePieceTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view suffix = ".model";

  // `model`: the bytes of a SentencePiece model with our marks, unused pieces last. Throws
  // DataError when it is none.
  explicit SentencePieceTokenizer(std::string model, Pieces pieces = Pieces::all);

  Index size() const override { return size_; }
  std::vector<TokenId> encode(std::string_view text) const override;
  // `encode` in two parts, with merges left out at random
  // (datasets/tokenizers/subword_dropout.hpp), for models of the kind bpe with all of their pieces:
  // the text as its pieces spell it, and the tokens of that.
  std::string spelled(std::string_view text) const;
  std::vector<TokenId> cut(std::string_view spelled, double dropout, const Draws& draws) const;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  // Single characters, and each U+2581, which would come back as a space.
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override;
  void save(const std::filesystem::path& stem) const override;
  bool shares_file_with(const Tokenizer& other) const override;

  const std::string& model() const { return model_; }

 private:
  std::string model_;
  sentencepiece::SentencePieceProcessor processor_;
  Index size_ = 0;
};

// What SentencePiece is asked to learn.
struct PieceOptions {
  TokenizerKind kind = TokenizerKind::bpe;  // bpe or unigram
  Index vocabulary = 10000;
  Normalization normalization = Normalization::identity;
  double character_coverage = 1.0;
};

// The text as `decode` gives it back where no token is unknown.
std::string normalised_text(const SentencePieceTokenizer& tokenizer, std::string_view text,
                            Normalization normalization);

// Learns a model from lines of text: equal lines give equal bytes. Throws DataError, with the sizes
// that are possible, when the text does not suffice for the vocabulary, and for whatever else the
// library cannot do with it. The lines are as `trainable_line` has them.
std::string train_sentencepiece(std::span<const std::string> lines, const PieceOptions& options);

std::unique_ptr<Tokenizer> load_sentencepiece_tokenizer(const std::filesystem::path& file,
                                                        Pieces pieces = Pieces::all);

}  // namespace tapehead
