#include "datasets/tokenizers/tokenizer.hpp"

#include <mutex>

#include "core/text.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"

namespace tapehead {

namespace {

bool is_all_spaces(std::string_view entry) {
  while (entry.starts_with(space_shown)) {
    entry.remove_prefix(space_shown.size());
  }
  return entry.empty();
}

constexpr Index most_characters = 40;  // shown of the first unknown part

void count(LostParts& lost, const std::string& part, LostPart found) {
  LostPart& entry = lost[part];
  entry.first_line =
      entry.count == 0 ? found.first_line : std::min(entry.first_line, found.first_line);
  entry.count += found.count;
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
    goes_on = is_all_spaces(tokenizer.entry(token));
  }
  return words;
}

void UnknownText::see(const Tokenizer& tokenizer, std::string_view text,
                      std::span<const TokenId> line_tokens, Index line) {
  of += static_cast<Index>(line_tokens.size());
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
  return fmt::format(
      "{} of {} tokens {} unknown to its vocabulary, on {} line{}; the first is `{}`, on line {}",
      unknown.tokens, unknown.of, unknown.tokens == 1 ? "is" : "are", unknown.lines,
      unknown.lines == 1 ? "" : "s", shown(unknown.first, most_characters), unknown.first_line);
}

LostParts lost_parts(const Tokenizer& tokenizer, std::span<const std::string> lines,
                     const std::function<std::string(std::string_view)>& normalised) {
  LostParts lost;
  std::mutex guard;
  for_line_ranges(static_cast<Index>(lines.size()), [&](Index first, Index last) {
    LostParts here;
    for (Index i = first; i < last; ++i) {
      const std::string& line = lines[static_cast<std::size_t>(i)];
      std::vector<std::string> parts = tokenizer.unknown_parts(line);
      if (parts.empty() && tokenizer.decode(tokenizer.encode(line)) != normalised(line)) {
        parts.emplace_back();
      }
      for (const std::string& part : parts) {
        count(here, part, {.count = 1, .first_line = i + 1});
      }
    }
    const std::scoped_lock lock(guard);
    for (const auto& [part, found] : here) {
      count(lost, part, found);
    }
  });
  return lost;
}

}  // namespace tapehead
