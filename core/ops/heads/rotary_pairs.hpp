// Which columns of a head rotary positions turn together, and their names in a config.
#pragma once

#include <array>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

enum class RotaryPairs { halves, interleaved };

template <>
struct EnumNames<RotaryPairs> {
  static constexpr std::array<std::string_view, 2> names{"halves", "interleaved"};
};

}  // namespace tapehead
