// The activation functions, and their names in a config.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

enum class Activation { relu, gelu, silu, tanh, gelu_exact };
constexpr ValueNames<5> value_names(Activation) {
  return {"relu", "gelu", "silu", "tanh", "gelu_exact"};
}

}  // namespace tapehead
