// Parses numbers as people write them in a config, such as 1e-4 and 1_000, and rejects ambiguous
// ones.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The text with the letters of ASCII in lower case.
std::string lowered(std::string_view text);

// Each throws ConfigError that says only what is wrong ("not a whole number"). A sign, `_` between
// digits and an exponent are accepted. 010 is rejected (8 or 10?), and so are nan, inf and
// hexadecimal numbers.
double parse_number(std::string_view text);
// 2e3 and 4.0 are whole numbers. With a point or an exponent they are accepted only up to 2^53, up
// to which doubles are exact.
Index parse_whole(std::string_view text);
std::uint64_t parse_unsigned(std::string_view text);

}  // namespace tapehead
