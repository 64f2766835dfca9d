// UTF-8: where a text stops being valid, and where its characters begin.
#pragma once

#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// Bytes of the first character, 1 to 4; 0 when the text is empty or does not begin with a valid
// one (overlong forms, surrogates and values above U+10FFFF are not: The Unicode Standard, table
// 3-7).
std::size_t utf8_length(std::string_view text);

// Bytes before the first invalid one: text.size() when all are valid.
std::size_t utf8_valid_bytes(std::string_view text);

}  // namespace tapehead
