// Removes from text what would make SentencePiece's trainer skip a line or end the process.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// The text with its tabs replaced by spaces. With NFKC SentencePiece does this itself. Without NFKC
// a tab would be a place that no piece may cross, and would be unknown in any text
// (trainer_interface.cc).
std::string with_spaces(std::string_view text);

// Characters that SentencePiece uses itself, so that it cannot make a piece of them: U+2585 stands
// for unknown text, and NUL ends a piece (trainer_interface.cc). U+2581 stands for the space before
// a word, so text cannot contain it.
inline constexpr std::string_view unknown_stand_in = "\u2585";
std::string_view sentencepiece_reserved(std::string_view character);  // why, or empty

// Whether the text still contains something after it is normalised. Spaces, including the library's
// own (U+2581), do not count. With NFKC, spaces of all kinds and characters that case folding may
// remove do not count either. If a text contains nothing, the library ends the process.
bool has_text(std::string_view text, Normalization normalization);

// Prepares a line from `with_spaces` for training only:
// - without U+2585 and NUL, for which the whole line, or the rest of it, would be skipped;
// - with a space inside "<unk>", "<s>" and "</s>", whose letters would not be counted;
// - with a space in each run of more than 1,000 characters without one: bpe fails
//   at about 32,700 of them, and unigram between 33,000 and 100,000, and
//   normalisation can turn one character into 18 (U+FDFA).
std::string trainable_line(std::string_view text);

}  // namespace tapehead
