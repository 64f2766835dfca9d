#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

namespace {

bool is_all_spaces(std::string_view entry) {
  while (entry.starts_with(space_shown)) {
    entry.remove_prefix(space_shown.size());
  }
  return entry.empty();
}

}  // namespace

bool has_entries_with_spaces(const Tokenizer& tokenizer) {
  return !tokenizer.word_fronts().begins.empty();
}

bool begins_word(const Tokenizer& tokenizer, TokenId token) {
  const std::string entry = tokenizer.entry(token);
  const std::string_view goes_on = tokenizer.word_fronts().goes_on;
  return goes_on.empty() ? entry.starts_with(space_shown) : !entry.starts_with(goes_on);
}

// The first token begins a word in any case. After a token of spaces only, its word goes on.
std::optional<std::vector<Index>> words_of_tokens(const Tokenizer& tokenizer,
                                                  const std::vector<TokenId>& tokens) {
  const WordFronts fronts = tokenizer.word_fronts();
  if (fronts.begins.empty() && fronts.goes_on.empty()) {
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
