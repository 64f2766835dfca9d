// The results of parts as bytes and back, between processes that run the same program.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/ranks/ranks.hpp"

namespace tapehead {

// Strings and vectors.
template <class T>
concept Elements = requires(T& values) {
  typename T::value_type;
  values.resize(1);
  { *values.data() } -> std::same_as<typename T::value_type&>;
};

// Gives the bytes of `value` to `bytes`, or takes them from it. A type without pointers goes as it
// lies in memory, Elements one by one. Any other class has a function
// `serialize(bytes, value)`, found by its type, which calls `bytes(...)` with its members.
template <class Bytes, class T>
void visit_bytes(Bytes& bytes, T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    bytes.visit(std::as_writable_bytes(std::span(&value, 1)));
  } else if constexpr (Elements<T>) {
    std::size_t size = value.size();
    bytes(size);
    value.resize(size);
    if constexpr (std::is_trivially_copyable_v<typename T::value_type>) {
      bytes.visit(std::as_writable_bytes(std::span(value.data(), size)));
    } else {
      for (auto& one : value) {
        bytes(one);
      }
    }
  } else {
    serialize(bytes, value);
  }
}

class ByteWriter {
 public:
  template <class... T>
  void operator()(T&... values) {
    (visit_bytes(*this, values), ...);
  }
  void visit(std::span<const std::byte> from) {
    written_.append(reinterpret_cast<const char*>(from.data()), from.size());
  }

  const std::string& written() const { return written_; }

 private:
  std::string written_;
};

// Reads what a ByteWriter wrote, in the same order. Throws RankError if there are too few bytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (visit_bytes(*this, values), ...);
  }
  void visit(std::span<std::byte> to) {
    if (to.size() > left_.size()) {
      throw RankError("another rank sent fewer bytes than its results have");
    }
    std::ranges::copy(std::as_bytes(std::span(left_.substr(0, to.size()))), to.begin());
    left_.remove_prefix(to.size());
  }

 private:
  std::string_view left_;
};

}  // namespace tapehead
