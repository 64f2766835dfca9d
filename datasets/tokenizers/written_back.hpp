// What a tokenizer loses of the lines that it was made from: each part, how often, and where first.
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

// Encodes and decodes each line and compares it with what `normalised` makes of it. A line that
// does not come back, though all its parts are known, counts whole as the part "".
LostParts lost_parts(const Tokenizer& tokenizer, std::span<const std::string> lines,
                     const std::function<std::string(std::string_view)>& normalised);

}  // namespace tapehead
