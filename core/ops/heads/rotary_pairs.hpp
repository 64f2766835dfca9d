// Which columns of a head rotary positions turn together, and their names in a config.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

enum class RotaryPairs { halves, interleaved };
constexpr ValueNames<2> value_names(RotaryPairs) { return {"halves", "interleaved"}; }

}  // namespace tapehead
