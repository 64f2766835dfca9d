// How finite-difference slopes change from step to step, which distinguishes smooth functions,
// kinks and rounding.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "core/gradcheck/slopes/extrapolation.hpp"

namespace tapehead {

// The gap between the slopes on both sides. For a smooth function it is f''(x) h, which shrinks
// with the step. Rounding makes it grow as the step shrinks. At a kink it stays constant.
class Gaps {
 public:
  void add(double gap) { gaps_[count_++] = gap; }
  bool fall(double unseen) const;
  bool stay(double noise) const;

 private:
  std::array<double, most_steps> gaps_{};
  std::size_t count_ = 0;
};

// How the central slopes change from step to step. For a smooth function they converge, by a factor
// of 16 each time. Rounding makes them diverge, or two of them agree by chance after two that did
// not. At a kink they diverge too, but there the gap stays constant, except at the one step that
// comes close to the kink.
class Motion {
 public:
  // `enough`: changes up to this size do not matter.
  void add(double central, double gap, double enough);
  bool is_rounding() const { return partings_ > 1; }
  bool is_chance(double unseen) const;

 private:
  double central_ = std::numeric_limits<double>::infinity();
  double change_ = std::numeric_limits<double>::infinity();
  double before_ = std::numeric_limits<double>::infinity();
  double gap_ = 0;
  int partings_ = 0;
};

}  // namespace tapehead
