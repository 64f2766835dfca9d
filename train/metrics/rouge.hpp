// ROUGE-L (Lin 2004), with exactly the figures of the Python package
// rouge-score.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

inline constexpr std::string_view rouge_signature = "case:lc|tok:a-z0-9|stem:no|rouge-score:0.1.2";

// The words of a text, as the package's default tokenizer finds them without a
// stemmer: after str.lower(), the runs of a-z and 0-9. All else separates
// words, so "naïve" is "na" and "ve", and text in other scripts has none.
std::vector<std::string> rouge_words(std::string_view text);

// The number of words of a longest common subsequence: words of both texts in
// the same order, perhaps with others between them.
Index longest_common_subsequence(std::span<const std::string> one,
                                 std::span<const std::string> other);

// The F1 of the longest common subsequence, 0 ... 1: with L words of it,
// precision is L over the words of the hypothesis, recall L over those of the
// reference, and F1 their harmonic mean.
double rouge_l(std::string_view hypothesis, std::string_view reference);

}  // namespace tapehead
