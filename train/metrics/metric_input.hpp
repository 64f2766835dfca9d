// Code that BLEU and chrF share: the check of their input, the words of a sentence, and the version
// of sacreBLEU whose figures they match.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/metrics/code_points.hpp"

namespace tapehead {

inline constexpr std::string_view sacrebleu_version = "2.6.0";

// Throws ShapeError, which names the metric and both counts, unless the numbers of hypotheses and
// references are equal.
void expect_pairs(std::span<const std::string> hypotheses, std::span<const std::string> references,
                  std::string_view metric);

// str.split(): calls visit(word) for each run of characters that are not white space.
template <class Visitor>
void for_each_word(std::u32string_view text, Visitor&& visit) {
  std::size_t end = 0;
  while (true) {
    std::size_t start = end;
    while (start < text.size() && is_space(text[start])) {
      ++start;
    }
    if (start == text.size()) {
      return;
    }
    end = start;
    while (end < text.size() && !is_space(text[end])) {
      ++end;
    }
    visit(text.substr(start, end - start));
  }
}

}  // namespace tapehead
