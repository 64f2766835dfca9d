// How far a gradient may be from a slope by differences, and when such a slope is precise enough to
// judge it.
#pragma once

#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead {

// The natural size of a slope: the slope if the outputs changed by their own size while the input
// changes by its own. Rounding errors of differences are measured relative to it. The first step is
// `first_step_share` of the input's size, and its noise is one rounding of the outputs.
constexpr double first_step_share = 1e-3;
double natural_size(const Slope& slope);

struct Tolerance {
  double relative;
  double absolute;  // in units of the natural size

  // relative max(|gradient|, |slope|), plus the error of the differences as far as `absolute`
  // excuses it.
  double allowed(double gradient, const Slope& slope) const;
  bool agrees(double gradient, const Slope& slope) const;

  // Whether the slope is known within the relative tolerance.
  bool tells(const Slope& slope) const;
};

// A slope far below the outputs may be that of a remainder of larger numbers, such as 1 + erf x at
// x = -5. Its own size then says nothing about its rounding, so its relative tolerance is no less.
constexpr double remainder_tolerance = 1e-6;

// A number is wrong beyond doubt if it is off by more than this many estimated errors.
constexpr double doubt_share = 10;

}  // namespace tapehead
