// Characters that stand for something else in the texts of tokens.
#pragma once

#include <string_view>

namespace tapehead {

inline constexpr std::string_view unknown_mark_text = "\u2047";  // as SentencePiece writes it
inline constexpr std::string_view space_shown = "\u2581";        // in an entry

}  // namespace tapehead
