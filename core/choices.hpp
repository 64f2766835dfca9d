// The choices of the options of core, with their names in a config.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

// The number format of the factors in linear maps. bfloat16: both factors of a product are rounded
// to it; sums and results stay float32.
enum class Precision { float32, bfloat16 };
constexpr ValueNames<2> value_names(Precision) { return {"float32", "bfloat16"}; }

enum class Activation { relu, gelu, silu, tanh, gelu_exact };  // the activation functions
constexpr ValueNames<5> value_names(Activation) {
  return {"relu", "gelu", "silu", "tanh", "gelu_exact"};
}

// Which columns of a head form a pair that rotary positions rotate together.
enum class RotaryPairs { halves, interleaved };
constexpr ValueNames<2> value_names(RotaryPairs) { return {"halves", "interleaved"}; }

}  // namespace tapehead
