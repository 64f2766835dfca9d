// Code points: UTF-8 text decoded once, with Python's notions of white space and lower case, which
// sacreBLEU's figures rest on.
#pragma once

#include <string>
#include <string_view>

namespace tapehead {

// The characters of a text. A byte that belongs to no valid character becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

// What str.split() and str.strip() take for white space (Python 3: category Zs, or bidirectional
// class WS, B or S).
bool is_space(char32_t c);

// str.lower(): the full mapping of The Unicode Standard, section 3.13, with its rule for a final
// sigma and with İ giving two characters.
void make_lower_case(std::u32string& text);

}  // namespace tapehead
