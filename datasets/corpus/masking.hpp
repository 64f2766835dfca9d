// The tokens that a masked language model predicts, and reads instead (Devlin et al. 2019, 3.1).
#pragma once

#include "core/random/draws.hpp"
#include "datasets/corpus/windows.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct MaskedToken {
  Index row = 0;     // of the window
  TokenId read = 0;  // in its place
};

// The entry that stands for a masked token. It follows those of the tokenizer.
inline TokenId mask_id(const Tokenizer& tokenizer) {
  return static_cast<TokenId>(tokenizer.size());
}

// How an entry, or the mask, is shown.
inline std::string entry_or_mask(const Tokenizer& tokenizer, TokenId token) {
  return token == mask_id(tokenizer) ? "<mask>" : tokenizer.entry(token);
}

// Which entries of subwords begin a word.
std::shared_ptr<const std::vector<bool>> word_beginnings(const Tokenizer& tokenizer);

struct Masking {
  double share = 0;  // of a window's tokens, without its marks; at least one is masked
  TokenId mask = 0;
  std::shared_ptr<const std::vector<bool>> words;  // null: single tokens are masked, not words
  TokenId line_end = unknown_id;  // where there is one; it is no part of the words beside it
  Draws draws{};                  // addressed by the token's place in the text

  // The masked tokens in the order of their rows. `tokens`: those of the window. Words are taken in
  // a random order while they fit into the share. Of the masked tokens 80 % are read as the mask,
  // 10 % as a random one, and 10 % as themselves.
  std::vector<MaskedToken> of(const std::vector<TokenId>& tokens, const Window& window) const;
};

}  // namespace tapehead
