#include "datasets/tokenizers/token_words.hpp"

#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/word_piece.hpp"

namespace tapehead {

namespace {

bool is_word_piece(const Tokenizer& tokenizer) {
  return dynamic_cast<const WordPiece*>(&tokenizer) != nullptr;
}

bool is_all_spaces(std::string_view entry) {
  while (entry.starts_with(space_shown)) {
    entry.remove_prefix(space_shown.size());
  }
  return entry.empty();
}

}  // namespace

bool has_entries_with_spaces(const Tokenizer& tokenizer) {
  return dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) != nullptr ||
         dynamic_cast<const ByteBpe*>(&tokenizer) != nullptr;
}

bool begins_word(const Tokenizer& tokenizer, TokenId token) {
  const std::string entry = tokenizer.entry(token);
  return is_word_piece(tokenizer) ? !entry.starts_with(WordPiece::goes_on)
                                  : entry.starts_with(space_shown);
}

// The first token begins a word in any case. After a token of spaces only, which has begun one, the
// word goes on.
std::optional<std::vector<Index>> words_of_tokens(const Tokenizer& tokenizer,
                                                  const std::vector<TokenId>& tokens) {
  if (!has_entries_with_spaces(tokenizer) && !is_word_piece(tokenizer)) {
    return std::nullopt;
  }
  std::vector<Index> words;
  bool goes_on = true;
  for (const TokenId token : tokens) {
    const bool begins = !goes_on && begins_word(tokenizer, token);
    words.push_back(words.empty() ? 0 : words.back() + (begins ? 1 : 0));
    goes_on = is_all_spaces(tokenizer.entry(token));
  }
  return words;
}

}  // namespace tapehead
