// Options that may differ by layer and by head.
#pragma once

#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// One value for all layers, or one for each layer; empty: auto.
template <class Value>
struct Layered {
  std::vector<Value> values;

  bool given() const { return !values.empty(); }
  const Value& at(Index layer) const {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(layer)];
  }
  bool operator==(const Layered&) const = default;
};

// The value of one layer.
template <class Value>
using Plain = Value;

// A value for all heads of a layer, or one for each.
template <class Value>
struct ByHead {
  std::vector<Value> values;

  const Value& at(Index head) const {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(head)];
  }
  bool fits(Index heads) const {
    return values.size() == 1 || static_cast<Index>(values.size()) == heads;
  }
  bool operator==(const ByHead&) const = default;
};

}  // namespace tapehead
