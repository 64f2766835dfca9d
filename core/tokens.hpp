// Tokens: token ids in pool memory, for closures that must remember them.
#pragma once

#include <algorithm>
#include <span>

#include "core/pool.hpp"
#include "core/types.hpp"

namespace tapehead {

class Tokens {
 public:
  explicit Tokens(std::span<const TokenId> ids)
      : buffer_(ids.size_bytes()), count_(static_cast<Index>(ids.size())) {
    std::ranges::copy(ids, data());
  }

  Index count() const { return count_; }
  TokenId operator[](Index i) const { return data()[i]; }

 private:
  TokenId* data() const { return reinterpret_cast<TokenId*>(buffer_.data()); }

  Buffer buffer_;
  Index count_;
};

}  // namespace tapehead
