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
  // At most, on the longer side (source with end mark, target with end mark), but at least one
  // example.
  Index tokens = 0;
  BatchLengths lengths = BatchLengths::alike;

  bool operator==(const Batching&) const = default;
};

}  // namespace tapehead
