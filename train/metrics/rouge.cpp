#include "train/metrics/rouge.hpp"

#include <algorithm>

#include "train/metrics/code_points.hpp"

namespace tapehead {

std::vector<std::string> rouge_words(std::string_view text) {
  std::u32string lowered = decode_utf8(text);
  make_lower_case(lowered);
  std::vector<std::string> words(1);
  for (const char32_t c : lowered) {
    if ((c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9')) {
      words.back() += static_cast<char>(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

// L(i, j), the length for the first i and the first j words, is L(i-1, j-1) + 1
// if words i and j are equal, else the larger of L(i-1, j) and L(i, j-1). Only
// one row of L is kept.
Index longest_common_subsequence(std::span<const std::string> one,
                                 std::span<const std::string> other) {
  std::vector<Index> lengths(other.size() + 1, 0);
  for (const std::string& word : one) {
    Index diagonal = 0;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const Index above = lengths[j];
      lengths[j] = word == other[j - 1] ? diagonal + 1 : std::max(above, lengths[j - 1]);
      diagonal = above;
    }
  }
  return lengths.back();
}

// 2 / (1 / precision + 1 / recall) = 2 L / (words of the hypothesis + words of
// the reference).
double rouge_l(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> said = rouge_words(hypothesis);
  const std::vector<std::string> right = rouge_words(reference);
  const Index common = longest_common_subsequence(said, right);
  return common == 0
             ? 0
             : 2.0 * static_cast<double>(common) / static_cast<double>(said.size() + right.size());
}

}  // namespace tapehead
