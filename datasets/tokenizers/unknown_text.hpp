// Unknown text: which tokens of lines of text a tokenizer has no entry for, and where the first is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct UnknownText {
  Index tokens = 0;  // that became the unknown mark
  Index lines = 0;   // with such tokens
  Index of = 0;      // all tokens that were seen
  std::string first;
  Index first_line = 0;  // counted from 1

  // A line by its number from 1, and what the tokenizer made of it.
  void see(const Tokenizer& tokenizer, std::string_view text, std::span<const TokenId> tokens,
           Index line);
  bool any() const { return tokens > 0; }
};

// "3 of 120 tokens are unknown to its vocabulary, on 2 lines; the first is `99`, on line 1".
std::string describe(const UnknownText& unknown);

}  // namespace tapehead
