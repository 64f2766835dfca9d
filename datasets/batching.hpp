// How examples come together in batches.
#pragma once

#include <array>
#include <string_view>

#include "core/fields.hpp"
#include "core/types.hpp"

namespace tapehead {

enum class BatchLengths { alike, mixed };

template <>
struct EnumNames<BatchLengths> {
  static constexpr std::array<std::string_view, 2> names{"alike", "mixed"};
};

struct Batching {
  Index tokens;  // at most, on the longer side: source with end mark, target with end mark
  BatchLengths lengths = BatchLengths::alike;
};

}  // namespace tapehead
