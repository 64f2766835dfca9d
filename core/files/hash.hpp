// Hash: a 64-bit digest of values as they come, by which sentences are assigned to splits and data
// is told apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// Everything added counts, in order, and so does each list's length: ("ab", "c") is not ("a",
// "bc").
class Hash {
 public:
  Hash& add(std::uint64_t word);
  Hash& add(std::string_view text);
  Hash& add(std::span<const TokenId> tokens);

  std::uint64_t value() const { return state_; }
  std::string hexadecimal() const;  // 16 digits

 private:
  std::uint64_t state_ = 0;
};

}  // namespace tapehead
