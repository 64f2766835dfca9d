// Answers to questions, compared as the evaluation script of SQuAD 2.0 does
// (Rajpurkar et al. 2016, 2018): exact match and token F1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

inline constexpr std::string_view answer_signature = "case:lc|punctuation:no|articles:no|squad:2.0";

// The words of an answer between white space, after str.lower(), without the
// punctuation of ASCII and without the words a, an and the.
std::vector<std::u32string> answer_words(std::string_view answer);

// Whether the words are the same, in the same order.
bool exact_match(std::string_view answer, std::string_view reference);

// The harmonic mean of precision and recall of the answer's words as a bag:
// with C words in common, each as often as in both, 2 C over the number of
// words of the two. If one has no words, it is 1 if the other has none either.
double token_f1(std::string_view answer, std::string_view reference);

}  // namespace tapehead
