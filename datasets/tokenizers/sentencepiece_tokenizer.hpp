// The tokenizer over a SentencePiece model (Kudo and Richardson 2018), and the content of the model
// for code that works without the library.
#pragma once

#include <sentencepiece_processor.h>

#include "core/random/draws.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

// The pieces that may be used. `used`: only the first pieces (`ModelAdditions::target_pieces`),
// without last pieces that the model marks unused.
enum class Pieces { all, used };

class SentencePieceTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view suffix = ".model";

  // `model`: the bytes of a SentencePiece model with our marks, and with our additions
  // (datasets/tokenizers/sentencepiece_fields.hpp). Throws DataError if it is not such a model.
  explicit SentencePieceTokenizer(std::string model, Pieces pieces = Pieces::all);

  Index size() const override { return pieces_ + further_.size() - mark_count; }
  // Encodes line by line, if line ends have an entry. Unknown text may be a further entry.
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string_view take_part(std::string_view& line, std::size_t bytes) const override;
  // Encodes a text that continues a line: no space is put in front of it.
  std::vector<TokenId> encode_rest(std::string_view text) const;
  // `encode` in two steps, with merges omitted at random (datasets/tokenizers/merge_table.hpp).
  // `spelled` gives the text as its pieces spell it, and `cut` the tokens of the spelled text. The
  // model must be of type bpe, with Pieces::all.
  std::string spelled(std::string_view text) const;
  std::vector<TokenId> cut(std::string_view spelled, double dropout, const Draws& draws) const;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  // Unknown single characters, and each U+2581, since `decode` would turn it into a space.
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override;
  void save(const fs::path& stem) const override;
  WordFronts word_fronts() const override { return {.begins = space_shown}; }
  const std::string* model() const override { return &model_; }
  // The model, in which exactly the pieces that this tokenizer may not use are marked unused.
  std::string model_in_use() const { return processor_.serialized_model_proto(); }

 private:
  bool words_have_tokens_apart() const;
  void append_line(std::string_view line, std::vector<TokenId>& tokens) const;
  std::string_view language_name(std::string_view line) const;
  TokenId id_of(const std::string& entry) const;
  std::vector<TokenId> tokens_of(std::string_view line) const;
  std::string words_of(const std::vector<TokenId>& tokens) const;
  std::vector<std::string> unknown_in_line(std::string_view line) const;

  std::string model_;
  sentencepiece::SentencePieceProcessor processor_;
  Index pieces_ = 0;  // number of pieces that may be used
  bool language_names_ = false;
  bool words_apart_ = false;       // a word has the same tokens whatever is before it
  bool merges_ = false;            // the model is of type bpe
  Vocabulary further_{{}};         // their ids follow the ids of the pieces
  TokenId line_end_ = unknown_id;  // id of a line end, if the model has it
};

struct Piece {
  std::string text;
  float score = 0;
  bool unused = false;
};

struct SentencePieceContent {
  TokenizerKind kind = TokenizerKind::unigram;  // or bpe
  std::vector<Piece> pieces;                    // in the order of the ids, marks included
  std::string character_map;   // of the normalisation, as the library compiles it; empty: none
  bool removes_spaces = true;  // at both ends, and all but one between words
};

// The content of a tokenizer's model; pieces that it may not use are `unused`. Throws DataError.
SentencePieceContent content_of(const SentencePieceTokenizer& tokenizer);

// The text that `decode` gives back if no token is unknown.
std::string normalised_text(const SentencePieceTokenizer& tokenizer, std::string_view text,
                            Normalization normalization);

// Replaces tabs by spaces. With NFKC, SentencePiece does this itself. Without NFKC, no piece could
// cross a tab, and a tab would be unknown in any text (trainer_interface.cc).
std::string with_spaces(std::string_view text);

// SentencePiece uses these characters itself, so it cannot make pieces of them. U+2585 stands for
// unknown text, and NUL ends a piece (trainer_interface.cc). U+2581 stands for the space before a
// word, so text cannot contain it.
inline constexpr std::string_view unknown_stand_in = "\u2585";
std::string_view sentencepiece_reserved(std::string_view character);  // the reason, or empty

// Whether the text contains anything but spaces after normalisation. U+2581, the library's space,
// counts as a space. With NFKC, spaces of all kinds and characters that case folding may remove
// count as spaces too. The library ends the process for text without content.
bool has_text(std::string_view text, Normalization normalization);

// Prepares a line for training only. After `with_spaces`:
// - It removes U+2585 and NUL. The trainer would skip the line, or its rest, for them.
// - It puts a space into "<unk>", "<s>" and "</s>". Their letters would not be counted.
// - It puts a space into each run of more than 1,000 characters without one. Training fails for bpe
//   at about 32,700 characters, for unigram between 33,000 and 100,000. Normalisation can turn one
//   character into 18 (U+FDFA).
std::string trainable_line(std::string_view text);

// Trains a model on the lines, prepared by `trainable_line`; the same lines give the same bytes.
// Throws DataError, with the possible sizes, if the text is too small for the vocabulary, and for
// everything else that the library cannot process.
std::string train_sentencepiece(std::span<const std::string> lines, const PieceOptions& options);

// Moves pieces of a joint model to the end if no target line needs them, so that these pieces need
// no logits. Adds the number of the remaining pieces (`ModelAdditions::target_pieces`). The moved
// pieces are not marked unused, so other programs cut sources as we do, and cut targets as we do
// after `SetVocabulary` with the first pieces. Marks and single characters count as needed, so that
// any text of these characters can be written. Ids change, but the pieces of a text change only if
// it contains a piece that no target line has.
std::string with_target_pieces_first(const std::string& model,
                                     std::span<const std::string> target_lines);

std::unique_ptr<Tokenizer> load_sentencepiece_tokenizer(const fs::path& file,
                                                        Pieces pieces = Pieces::all);

}  // namespace tapehead
