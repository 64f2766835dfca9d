// The fields of a serialised message (Protocol Buffers, "Encoding"): SentencePiece's models are
// such.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace tapehead
