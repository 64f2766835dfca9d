// Wire messages: protocol buffers as their encoding defines them
// (https://protobuf.dev/programming-guides/encoding). The messages of event files have so few
// fields that they need neither a compiler of messages nor a library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/types.hpp"

namespace tapehead {

class WireMessage {
 public:
  // Each appends a field by its number.
  WireMessage& integer(int field, Index value);
  WireMessage& float32(int field, float value);
  WireMessage& float64(int field, double value);
  WireMessage& bytes(int field, std::string_view value);
  WireMessage& message(int field, const WireMessage& value) { return bytes(field, value.encoded_); }

  const std::string& encoded() const { return encoded_; }

 private:
  void key(int field, int type);
  void variable_length(std::uint64_t value);

  std::string encoded_;
};

}  // namespace tapehead
