// Patterns: which keys a query may attend to inside its sequence, by their positions.
#pragma once

#include <algorithm>
#include <limits>

#include "core/types.hpp"

namespace tapehead {

// The key positions first ... last, both included; nothing where last < first.
struct PositionRange {
  Index first;
  Index last;
};

// A pattern whose allowed keys are, for every query, one range: those from `before` positions
// before the query to `after` positions after it. Full, causal and window attention are of this
// kind.
class Pattern {
 public:
  static constexpr Index unlimited = std::numeric_limits<Index>::max() / 4;

  static constexpr Pattern full() { return {unlimited, unlimited}; }
  static constexpr Pattern causal() { return {unlimited, 0}; }
  static constexpr Pattern window(Index before, Index after) { return {before, after}; }

  constexpr PositionRange range(Index query_position) const {
    return {query_position - before_, query_position + after_};
  }
  constexpr bool allowed(Index query_position, Index key_position) const {
    const PositionRange keys = range(query_position);
    return keys.first <= key_position && key_position <= keys.last;
  }
  constexpr bool is_full() const { return before_ == unlimited && after_ == unlimited; }

 private:
  constexpr Pattern(Index before, Index after) : before_(before), after_(after) {}

  Index before_;
  Index after_;
};

}  // namespace tapehead
