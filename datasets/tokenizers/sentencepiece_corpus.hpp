// Text as SentencePiece's trainer can take it: nothing that makes it skip a line or end the
// process.
#pragma once

#include <string>
#include <string_view>

#include "datasets/tokenizers/tokenizer_kind.hpp"

namespace tapehead {

// The text with spaces for its tabs. SentencePiece normalises them so with NFKC; without, they mark
// where no piece may continue, and would be unknown in any text (trainer_interface.cc).
std::string with_spaces(std::string_view text);

// The characters that SentencePiece has a use of its own for, and can make no piece of: U+2585
// stands for unknown text, and NUL ends a piece (trainer_interface.cc). U+2581 stands for the space
// before a word, so that text cannot hold it.
std::string_view sentencepiece_reserved(std::string_view character);  // why, or empty

// Whether anything is left of the text when it has been normalised: something other than spaces,
// the library's own (U+2581) included, or, with NFKC, than spaces of all kinds and characters that
// case folding may remove. Without, the library ends the process.
bool has_text(std::string_view text, Normalization normalization);

// The line, as `with_spaces` has it, for training, and for training alone:
// - without U+2585 and NUL, for which the whole line, or what follows, would be skipped;
// - with a space inside "<unk>", "<s>" and "</s>", whose letters would not be counted;
// - with a space in each run of characters without one, where it is longer than 1,000 characters:
//   bpe breaks down at about 32,700 of them, and unigram between 33,000 and 100,000, and a
//   character can become 18 when it is normalised (U+FDFA).
std::string trainable_line(std::string_view text);

}  // namespace tapehead
