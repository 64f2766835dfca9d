// Byte characters: a printable character for each of the 256 bytes, in which the files of
// byte-level BPE spell their entries (Radford et al. 2019, "Language models are unsupervised
// multitask learners", section 2.2, and the code of GPT-2).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tapehead {

// The byte characters in UTF-8, in the order of their code points. Printable characters of Latin-1
// stand for themselves. The other bytes have the characters from U+0100 on: a space is U+0120.
struct ByteCharacter {
  char byte;
  std::string character;
};
const std::array<ByteCharacter, 256>& byte_characters();

// Each byte as its character.
std::string spelled_bytes(std::string_view bytes);

// The bytes of a spelled text; nothing if it contains a character that stands for no byte.
std::optional<std::string> bytes_of_spelling(std::string_view spelled);

}  // namespace tapehead
