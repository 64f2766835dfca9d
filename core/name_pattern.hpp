// Patterns of names, in which `*` stands for any characters, also for none.
#pragma once

#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// The fewest characters to insert, delete or replace in the name until the pattern matches it.
Index pattern_distance(std::string_view pattern, std::string_view name);

// Whether the pattern matches the whole name.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace tapehead
