#include "datasets/tokenizers/serialized_fields.hpp"

#include "core/errors.hpp"

namespace tapehead {

namespace {

enum class WireType { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

// A whole number in groups of seven bits, the lowest first; the top bit says that more follow.
std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  throw DataError("not a SentencePiece model: a field without an end");
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string tag_of(std::uint64_t number, WireType type) {
  return varint(number << 3 | static_cast<std::uint64_t>(type));
}

std::string_view take_bytes(std::string_view& bytes, std::uint64_t count) {
  if (count > bytes.size()) {
    throw DataError("not a SentencePiece model: a field longer than the model");
  }
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

}  // namespace

std::string serialized_field(std::uint64_t number, std::uint64_t value) {
  return tag_of(number, WireType::varint) + varint(value);
}

std::string serialized_field(std::uint64_t number, std::string_view content) {
  return tag_of(number, WireType::length_delimited) + varint(content.size()) + std::string(content);
}

SerializedField take_field(std::string_view& message) {
  const std::string_view before = message;
  const std::uint64_t tag = take_varint(message);
  SerializedField field{.number = tag >> 3, .value = 0, .content = {}, .whole = {}};
  switch (static_cast<WireType>(tag & 7)) {
    case WireType::varint:
      field.value = take_varint(message);
      break;
    case WireType::fixed64:
      field.content = take_bytes(message, 8);
      break;
    case WireType::length_delimited:
      field.content = take_bytes(message, take_varint(message));
      break;
    case WireType::fixed32:
      field.content = take_bytes(message, 4);
      break;
    default:
      throw DataError("not a SentencePiece model: a field of an unknown type");
  }
  field.whole = before.substr(0, before.size() - message.size());
  return field;
}

}  // namespace tapehead
