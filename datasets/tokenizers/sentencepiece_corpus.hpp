// Removes from text what would make SentencePiece's trainer skip a line or end the process.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Replaces tabs by spaces. With NFKC, SentencePiece does this itself. Without NFKC, no piece could
// cross a tab, and a tab would be unknown in any text (trainer_interface.cc).
std::string with_spaces(std::string_view text);

// SentencePiece uses these characters itself, so it cannot make pieces of them. U+2585 stands for
// unknown text, and NUL ends a piece (trainer_interface.cc). U+2581 stands for the space before a
// word, so text cannot contain it.
inline constexpr std::string_view unknown_stand_in = "\u2585";
std::string_view sentencepiece_reserved(std::string_view character);  // the reason, or empty

// Whether the text contains anything but spaces after normalisation. U+2581, the library's space,
// counts as a space. With NFKC, spaces of all kinds and characters that case folding may remove
// count as spaces too. The library ends the process for text without content.
bool has_text(std::string_view text, Normalization normalization);

// Prepares a line for training only. After `with_spaces`:
// - It removes U+2585 and NUL. The trainer would skip the line, or its rest, for them.
// - It puts a space into "<unk>", "<s>" and "</s>". Their letters would not be counted.
// - It puts a space into each run of more than 1,000 characters without one. Training fails for bpe
//   at about 32,700 characters, for unigram between 33,000 and 100,000. Normalisation can turn one
//   character into 18 (U+FDFA).
std::string trainable_line(std::string_view text);

}  // namespace tapehead
