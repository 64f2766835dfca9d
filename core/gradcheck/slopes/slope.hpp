// The slope of a function of one number from differences, with an estimate of its error that tells
// rounding from a kink. Plain double arithmetic: it does not know what the function is made of.
#pragma once

#include <functional>

namespace tapehead {

// The function's changes when its argument goes up and down by a step, each over the step taken.
struct Rise {
  double up = 0;     // (f(x + h) - f(x)) / h
  double down = 0;   // (f(x) - f(x - h)) / h
  double noise = 0;  // what the rounding of f alone may make of them
};

struct Slope {
  double value = 0;
  double error = 0;   // estimated
  bool kink = false;  // there is none: those to both sides stay apart, or grow without end
  double left = 0;    // those slopes, with the smallest step
  double right = 0;
  double noise = 0;  // of the first step
  double step = 0;   // the first one
  double last = 0;   // the smallest one that the value rests on
};

struct SlopeSearch {
  double first_step;
  std::function<double(double value)> enough;  // the error at which to end
  // Whether `noise` is all the rounding there is. Else the slopes themselves tell where smaller
  // steps make them worse, for which a function must not have more than one kink close by.
  bool noise_known = false;
};

// Central differences with steps first_step, first_step / 4, ..., extrapolated to step 0. Ends as
// soon as the error that is left is small enough, at the latest after eight steps.
//
// Where the function is smooth on each side only, as x |x| at 0, the slopes to both sides are
// extrapolated apart, and have to agree. At the edge of where it is defined there is one side.
Slope slope_of(const std::function<Rise(double step)>& rise, const SlopeSearch& search);

}  // namespace tapehead
