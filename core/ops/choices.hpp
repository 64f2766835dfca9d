// The choices of the ops' options, with their names in a config.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

enum class Activation { relu, gelu, silu, tanh, gelu_exact };  // the activation functions
constexpr ValueNames<5> value_names(Activation) {
  return {"relu", "gelu", "silu", "tanh", "gelu_exact"};
}

// Which columns of a head form a pair that rotary positions rotate together.
enum class RotaryPairs { halves, interleaved };
constexpr ValueNames<2> value_names(RotaryPairs) { return {"halves", "interleaved"}; }

}  // namespace tapehead
