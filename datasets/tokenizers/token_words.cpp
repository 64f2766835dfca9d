#include "datasets/tokenizers/token_words.hpp"

#include <string_view>

#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

// A subword that begins a word begins with U+2581, which stands for the space before the word. The
// first subword begins one in any case.
std::optional<std::vector<Index>> words_of_tokens(const Tokenizer& tokenizer,
                                                  const std::vector<TokenId>& tokens) {
  constexpr std::string_view space = "\u2581";
  if (dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) == nullptr) {
    return std::nullopt;
  }
  std::vector<Index> words;
  for (const TokenId token : tokens) {
    const bool begins = !words.empty() && tokenizer.entry(token).starts_with(space);
    words.push_back(words.empty() ? 0 : words.back() + (begins ? 1 : 0));
  }
  return words;
}

}  // namespace tapehead
