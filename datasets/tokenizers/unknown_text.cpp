#include "datasets/tokenizers/unknown_text.hpp"

#include <mutex>

#include "core/shown.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"

namespace tapehead {

namespace {

constexpr Index most_characters = 40;  // of the first

void count(LostParts& lost, const std::string& part, LostPart found) {
  LostPart& entry = lost[part];
  entry.first_line =
      entry.count == 0 ? found.first_line : std::min(entry.first_line, found.first_line);
  entry.count += found.count;
}

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
