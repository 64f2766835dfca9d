// Numbers as people write them in a config: decimal, 1e-4, 1_000; nothing whose meaning depends on
// the reader.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// Each throws ConfigError with what is wrong alone ("not a whole number"). A sign, `_` between
// digits and an exponent are read; 010 is refused (8 or 10?), and so are nan, inf and hexadecimal.
double parse_number(std::string_view text);
// 2e3 and 4.0 are whole; with a point or an exponent only up to 2^53, as far as doubles are exact.
Index parse_whole(std::string_view text);
std::uint64_t parse_unsigned(std::string_view text);

}  // namespace tapehead
