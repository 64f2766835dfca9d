// Counts the tokens of lines of text for which a tokenizer has no entry, and remembers the first
// one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct UnknownText {
  Index tokens = 0;  // that became the unknown mark
  Index lines = 0;   // lines with such tokens
  Index of = 0;      // the number of all tokens
  std::string first;
  Index first_line = 0;  // counted from 1

  // Adds a line, numbered from 1, and the tokens that the tokenizer made of it.
  void see(const Tokenizer& tokenizer, std::string_view text, std::span<const TokenId> tokens,
           Index line);
  bool any() const { return tokens > 0; }
};

// "3 of 120 tokens are unknown to its vocabulary, on 2 lines; the first is `99`, on line 1".
std::string describe(const UnknownText& unknown);

}  // namespace tapehead
