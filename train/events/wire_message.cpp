#include "train/events/wire_message.hpp"

namespace tapehead {

namespace {

constexpr int varint_type = 0;
constexpr int float64_type = 1;
constexpr int bytes_type = 2;
constexpr int float32_type = 5;

template <class Number>
void append(std::string& bytes, const Number& number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

// Seven bits a byte, the lowest first; the highest bit of a byte says that another one follows.
void WireMessage::variable_length(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    encoded_ += static_cast<char>((value & 0x7f) | 0x80);
  }
  encoded_ += static_cast<char>(value);
}

void WireMessage::key(int field, int type) {
  variable_length(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

WireMessage& WireMessage::integer(int field, Index value) {
  key(field, varint_type);
  variable_length(static_cast<std::uint64_t>(value));
  return *this;
}

WireMessage& WireMessage::float32(int field, float value) {
  key(field, float32_type);
  append(encoded_, value);
  return *this;
}

WireMessage& WireMessage::float64(int field, double value) {
  key(field, float64_type);
  append(encoded_, value);
  return *this;
}

WireMessage& WireMessage::bytes(int field, std::string_view value) {
  key(field, bytes_type);
  variable_length(value.size());
  encoded_ += value;
  return *this;
}

}  // namespace tapehead
