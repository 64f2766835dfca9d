// distinct-n (Li et al. 2016): how varied generated texts are.
#pragma once

#include <array>
#include <span>
#include <string>

namespace tapehead {

// Of n = 1 and 2 words: the number of different n-grams over the number of all
// n-grams of the texts, 0 ... 1, and 0 if there are none. Words are separated
// by white space and compared as they are written; no n-gram crosses from one
// text to the next. (The paper divides by the number of words for both n.)
std::array<double, 2> distinct_ngrams(std::span<const std::string> texts);

}  // namespace tapehead
