// The activation functions, and their names in a config.
#pragma once

#include <array>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

enum class Activation { relu, gelu, silu, tanh, gelu_exact };

template <>
struct EnumNames<Activation> {
  static constexpr std::array<std::string_view, 5> names{"relu", "gelu", "silu", "tanh",
                                                         "gelu_exact"};
};

}  // namespace tapehead
