// The fields of a serialised message (Protocol Buffers, "Encoding"): SentencePiece's models are
// such. What tapehead adds to them, and a check of what the library follows without one.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct SerializedField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;   // of a whole number, or of a truth value
  std::string_view content;  // of a text, a message or a floating-point number: its bytes
  std::string_view whole;    // with the tag
};

// A field that is a whole number, or that is a text.
std::string serialized_field(std::uint64_t number, std::uint64_t value);
std::string serialized_field(std::uint64_t number, std::string_view content);

// Takes the next field from the front of a message that is not empty. Throws DataError if it has no
// end, or is of a type that models do not have.
SerializedField take_field(std::string_view& message);

struct ModelAdditions {
  std::optional<Index> target_pieces{};  // a target may use so many of the first pieces alone
  // A text that begins with `>>...<<` begins with the name of a language, which is one token, as
  // MarianTokenizer of transformers has it.
  bool language_names = false;
  std::vector<std::string> further_entries{};  // no pieces; their ids follow those of the pieces
};

// Throws DataError.
ModelAdditions additions_of(std::string_view model);

// The model with these additions in the place of its own.
std::string with_additions(std::string_view model, const ModelAdditions& additions);

// Throws DataError if the library could read outside of one of the model's character maps.
void expect_sound_character_maps(std::string_view model);

}  // namespace tapehead
