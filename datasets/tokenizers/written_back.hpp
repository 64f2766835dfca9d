// What a tokenizer loses from the lines that it was made from: each part, how often it is lost, and
// on which line first.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

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
