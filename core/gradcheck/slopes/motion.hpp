// How slopes by differences move from step to step, which tells smooth functions, kinks and
// rounding apart.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "core/gradcheck/slopes/extrapolation.hpp"

namespace tapehead {

// The gap between the slopes to both sides. For a smooth function it is f''(x) h, which falls with
// the step; rounding lets it grow as the step falls; at a kink it stays.
class Gaps {
 public:
  void add(double gap) { gaps_[count_++] = gap; }
  bool fall(double unseen) const;
  bool stay(double noise) const;

 private:
  std::array<double, most_steps> gaps_{};
  std::size_t count_ = 0;
};

// Those of a smooth function draw nearer, by 16 each time; those that rounding makes part, or agree
// by chance: two of them alike after two that were not. At a kink they part as well, but there the
// gap stays, except at the one step that comes close to it.
class Motion {
 public:
  // `enough`: changes that do not matter.
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
