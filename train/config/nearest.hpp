// The valid name that a misspelt one most likely means.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other,
// each part of the word edited once (optimal string alignment).
Index edit_distance(std::string_view from, std::string_view to);

// The closest candidate, the first among equals, if it is close enough to be meant: at most a third
// of the letters away. Case, and `-` for `_`, do not count.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates);

}  // namespace tapehead
