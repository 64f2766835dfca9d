#include "datasets/tokenizers/tokenizer_kind.hpp"

#include <stdexcept>

#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"
#include "datasets/tokenizers/word_piece.hpp"

namespace tapehead {

std::shared_ptr<const Tokenizer> tokenizer_of_lines(TokenizerKind kind,
                                                    std::span<const std::string> lines,
                                                    Index vocabulary, bool lower_case) {
  const auto most_frequent_units = [&](Unit unit) {
    return std::make_shared<VocabularyTokenizer>(count_units(lines, unit, vocabulary), unit);
  };
  switch (kind) {
    case TokenizerKind::word:
      return most_frequent_units(Unit::word);
    case TokenizerKind::character:
      return most_frequent_units(Unit::character);
    case TokenizerKind::byte:
      return std::make_shared<VocabularyTokenizer>(all_bytes(), Unit::byte);
    case TokenizerKind::byte_bpe:
      return std::make_shared<ByteBpe>(train_byte_bpe(lines, vocabulary));
    case TokenizerKind::word_piece:
      return std::make_shared<WordPiece>(
          train_word_piece(lines, vocabulary, word_piece_options(lower_case)));
    case TokenizerKind::bpe:
    case TokenizerKind::unigram:
      break;
  }
  throw std::logic_error("SentencePiece trains this tokenizer");
}

}  // namespace tapehead
