// Hash: a 64-bit digest of values. It assigns sentences to splits, and tells different data apart.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The order of the values counts, and so does the length of each list: ("ab", "c") differs from
// ("a", "bc").
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
