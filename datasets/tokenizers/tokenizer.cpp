#include "datasets/tokenizers/tokenizer.hpp"

#include "core/text.hpp"

namespace tapehead {

std::string_view after_spaces(std::string_view entry) {
  while (entry.starts_with(space_shown)) {
    entry.remove_prefix(space_shown.size());
  }
  return entry;
}

bool begins_word(const Tokenizer& tokenizer, TokenId token) {
  const std::string entry = tokenizer.entry(token);
  const std::string_view goes_on = tokenizer.word_fronts().goes_on;
  return goes_on.empty() ? entry.starts_with(space_shown) : !entry.starts_with(goes_on);
}

// The first token begins a word. A token of spaces only belongs to the word after it.
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
    goes_on = after_spaces(tokenizer.entry(token)).empty();
  }
  return words;
}

void UnknownText::see(const Tokenizer& tokenizer, std::string_view text,
                      std::span<const TokenId> line_tokens, Index line) {
  of += std::ssize(line_tokens);
  const auto count = static_cast<Index>(std::ranges::count(line_tokens, unknown_id));
  if (count == 0) {
    return;
  }
  if (tokens == 0) {
    const std::vector<std::string> parts = tokenizer.unknown_parts(text);
    first = parts.empty() ? std::string(text) : parts.front();
    first_line = line;
  }
  tokens += count;
  ++lines;
}

std::string describe(const UnknownText& unknown) {
  constexpr Index most_characters = 40;  // shown of the first unknown part
  return fmt::format(
      "{} of {} tokens {} not in the vocabulary, on {} line{}; the first is `{}`, on line {}",
      unknown.tokens, unknown.of, unknown.tokens == 1 ? "is" : "are", unknown.lines,
      unknown.lines == 1 ? "" : "s", shown(unknown.first, most_characters), unknown.first_line);
}

}  // namespace tapehead
