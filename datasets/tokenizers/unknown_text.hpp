// What a tokenizer loses of text: the tokens of lines for which it has no entry, and the parts of
// the lines that it was made from.
#pragma once

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

// How often a part of lines is lost, and on which line first.
struct LostPart {
  Index count = 0;
  Index first_line = 0;  // counted from 1
};
using LostParts = std::map<std::string, LostPart>;

// Encodes and decodes each line, and compares the result with `normalised` of the line. A line that
// differs, although all its parts are known, counts as a whole, as the part "".
LostParts lost_parts(const Tokenizer& tokenizer, std::span<const std::string> lines,
                     const std::function<std::string(std::string_view)>& normalised);

}  // namespace tapehead
