// The activation functions, and their names in a config.
#pragma once

#include <array>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

enum class Activation { relu, gelu, silu, tanh };

template <>
struct EnumNames<Activation> {
  static constexpr std::array<std::string_view, 4> names{"relu", "gelu", "silu", "tanh"};
};

}  // namespace tapehead
