#include "datasets/tokenizers/token_words.hpp"

#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/text_marks.hpp"

namespace tapehead {

bool has_entries_with_spaces(const Tokenizer& tokenizer) {
  return dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) != nullptr ||
         dynamic_cast<const ByteBpe*>(&tokenizer) != nullptr;
}

// A subword that begins a word begins with a space. The first subword begins one in any case.
std::optional<std::vector<Index>> words_of_tokens(const Tokenizer& tokenizer,
                                                  const std::vector<TokenId>& tokens) {
  if (!has_entries_with_spaces(tokenizer)) {
    return std::nullopt;
  }
  std::vector<Index> words;
  for (const TokenId token : tokens) {
    const bool begins = !words.empty() && tokenizer.entry(token).starts_with(space_shown);
    words.push_back(words.empty() ? 0 : words.back() + (begins ? 1 : 0));
  }
  return words;
}

}  // namespace tapehead
