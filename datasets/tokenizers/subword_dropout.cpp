#include "datasets/tokenizers/subword_dropout.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

// A piece of the word, and the score of merging it with the next one.
struct Part {
  std::string_view text;
  std::optional<float> with_next;
};

// The two are adjacent in the word.
std::optional<float> score_of_pair(const std::vector<Part>& parts, std::size_t first,
                                   const PieceScore& score) {
  if (first + 1 >= parts.size()) {
    return std::nullopt;
  }
  const std::string_view left = parts[first].text;
  return score({left.data(), left.size() + parts[first + 1].text.size()});
}

std::size_t best_pair(const std::vector<Part>& parts) {
  std::size_t best = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].with_next &&
        (best == parts.size() || parts[i].with_next > parts[best].with_next)) {
      best = i;
    }
  }
  return best;
}

}  // namespace

std::vector<std::string_view> merge_with_dropout(std::string_view word, const PieceScore& score,
                                                 double probability, const Draws& draws,
                                                 std::uint64_t& draw) {
  std::vector<Part> parts;
  while (!word.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(word));
    parts.push_back({.text = word.substr(0, length), .with_next = std::nullopt});
    word.remove_prefix(length);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].with_next = score_of_pair(parts, i, score);
  }
  for (std::size_t best = best_pair(parts); best < parts.size(); best = best_pair(parts)) {
    if (draw_uniform(draws, draw++) < probability) {
      parts[best].with_next.reset();
      continue;
    }
    const auto next = parts.begin() + static_cast<std::ptrdiff_t>(best) + 1;
    parts[best].text = {parts[best].text.data(), parts[best].text.size() + next->text.size()};
    parts.erase(next);
    parts[best].with_next = score_of_pair(parts, best, score);
    if (best > 0) {
      parts[best - 1].with_next = score_of_pair(parts, best - 1, score);
    }
  }
  std::vector<std::string_view> pieces;
  for (const Part& part : parts) {
    pieces.push_back(part.text);
  }
  return pieces;
}

}  // namespace tapehead
