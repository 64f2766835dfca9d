// How far a gradient may be from a slope by differences, and when such a slope tells anything.
#pragma once

#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead {

// What a slope would be if the outputs changed by as much as they are while the input changes by as
// much as it is: the size beside which rounding errors of differences are seen. The first step is
// `first_step_share` of the input's size, and its noise a rounding of the outputs.
constexpr double first_step_share = 1e-3;
double natural_size(const Slope& slope);

struct Tolerance {
  double relative;
  double absolute;  // in units of the natural size

  // relative max(|gradient|, |slope|), and what the differences may be off as far as `absolute`
  // excuses that.
  double allowed(double gradient, const Slope& slope) const;
  bool agrees(double gradient, const Slope& slope) const;

  // Whether the slope is known to the relative tolerance.
  bool tells(const Slope& slope) const;
};

// How far from a slope by differences numbers are different from it beyond doubt.
constexpr double doubt_share = 10;

}  // namespace tapehead
