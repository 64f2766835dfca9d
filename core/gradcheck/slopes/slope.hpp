// The slope of a function of one number from differences, with an error estimate that tells
// rounding from a kink. Plain double arithmetic: it knows nothing about the function.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The changes of the function when its argument goes up and down by a step, each divided by the
// step.
struct Rise {
  double up = 0;     // (f(x + h) - f(x)) / h
  double down = 0;   // (f(x) - f(x - h)) / h
  double noise = 0;  // the part that rounding of f alone may cause
};

struct Slope {
  double value = 0;
  double error = 0;   // estimated
  bool kink = false;  // no slope exists: those on both sides stay apart, or grow without limit
  double left = 0;    // the slopes on both sides, at the smallest step
  double right = 0;
  double noise = 0;  // at the first step
  double step = 0;   // the first one
  double last = 0;   // the smallest step that the value is based on
};

struct SlopeSearch {
  double first_step;
  std::function<double(double value)> enough;  // the error at which to stop
  // Whether `noise` is all the rounding there is. Otherwise rounding is detected where smaller
  // steps make the slopes worse. That works only if the function has at most one kink nearby.
  bool noise_known = false;
};

// Central differences with steps first_step, first_step / 4, ..., extrapolated to step 0. Stops as
// soon as the remaining error is small enough, at the latest after eight steps.
//
// If the function is smooth only on each side, such as x |x| at 0, the slopes on both sides are
// extrapolated separately, and must agree. At the edge of its domain there is only one side.
Slope slope_of(const std::function<Rise(double step)>& rise, const SlopeSearch& search);

}  // namespace tapehead
