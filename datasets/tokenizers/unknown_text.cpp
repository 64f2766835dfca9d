#include "datasets/tokenizers/unknown_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/shown.hpp"

namespace tapehead {

namespace {

constexpr Index most_characters = 40;  // of the first

}  // namespace

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

}  // namespace tapehead
