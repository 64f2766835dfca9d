// The slope of a function of one number: differences at ever smaller steps are extrapolated to step
// 0, with an error estimate that tells rounding from a kink. Trials with first steps of several
// sizes are made, and the best one counts. The code uses plain doubles and knows nothing about the
// function.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The changes of the function when its argument moves up and down by a step, divided by the step.
struct Rise {
  double up = 0;     // (f(x + h) - f(x)) / h
  double down = 0;   // (f(x) - f(x - h)) / h
  double noise = 0;  // the part that rounding of f alone may cause
};

struct Slope {
  double value = 0;
  double error = 0;   // estimated
  bool kink = false;  // there is no slope: the slopes of both sides differ, or grow without limit
  double left = 0;    // the slopes of both sides, at the smallest step
  double right = 0;
  double noise = 0;  // at the first step
  double step = 0;   // the first step
  double last = 0;   // the smallest step that the value is based on
};

struct SlopeSearch {
  double first_step;
  std::function<double(double value)> enough;  // the error at which to stop
  // Whether `noise` is all of the rounding. Otherwise rounding is detected when smaller steps make
  // the slopes worse, which works only if the function has at most one kink nearby.
  bool noise_known = false;
};

// Central differences with steps first_step, first_step / 4, ..., extrapolated to step 0. Stops
// when the remaining error is small enough, at the latest after eight steps.
//
// If the function is smooth only on each side, as x |x| is at 0, the slopes of the two sides are
// extrapolated separately and must agree. At the edge of the domain there is only one side.
Slope slope_of(const std::function<Rise(double step)>& rise, const SlopeSearch& search);

constexpr std::size_t most_steps = 8;
constexpr double step_shrink = 4;  // the ratio of a step to the next

// A number from finite differences, and its possible error.
struct Estimate {
  double value = 0;
  double error = 0;
};

// Richardson's tableau; only its last row is kept. If the truncation error is a series in h^order,
// each column removes one term, and the difference between neighbours estimates the rest (Ridders
// 1982, "Accurate computation of F'(x) and F'(x)F''(x)").
class Tableau {
 public:
  explicit Tableau(int order) : ratio_(order == 2 ? step_shrink * step_shrink : step_shrink) {}

  Estimate add(double slope);  // returns the best of the new row
  std::size_t rows() const { return rows_; }

 private:
  double ratio_;
  std::array<double, most_steps> row_{};
  std::size_t rows_ = 0;
};

// The natural size of a slope: the slope if the outputs changed by their own size while the input
// changes by its own. Rounding errors of differences are relative to it. The first step is
// `first_step_share` of the input's size, and its noise is one rounding of the outputs.
constexpr double first_step_share = 1e-3;
double natural_size(const Slope& slope);

// How far a gradient may be from a slope by differences.
struct Tolerance {
  double relative;
  double absolute;  // in units of the natural size

  // relative · max(|gradient|, |slope|) + the excused error of the differences. At most `absolute`
  // natural sizes of the error are excused.
  double allowed(double gradient, const Slope& slope) const;
  bool agrees(double gradient, const Slope& slope) const;

  // Whether the slope is known within the relative tolerance.
  bool tells(const Slope& slope) const;
};

// A slope far below the outputs may remain when larger numbers cancel, as in 1 + erf x at x = -5.
// The slope's size then says nothing about its rounding; its relative tolerance is at least this.
constexpr double remainder_tolerance = 1e-6;

// A number is certainly wrong if it is off by more than this many estimated errors.
constexpr double doubt_share = 10;

struct Trial {
  Slope slope;
  std::vector<bool> moved;  // for each output, whether it changed
};

class Trials {
 public:
  // For each output, how far the argument can go without changing it; null: unknown.
  using Reach = std::function<std::vector<double>()>;

  // `rounding`: for each output, its possible rounding error times its weight in the sum whose
  // slope is searched. `reach` is called only if it matters.
  Trials(const std::vector<double>& rounding, const Tolerance& tolerance, Reach reach)
      : rounding_(rounding), tolerance_(tolerance), ask_reach_(std::move(reach)) {}

  // Adds a trial. Returns whether the trial determines the slope and the slope is `gradient`.
  bool settle(Trial trial, double gradient);

  // Calls `reach` unless it has been called.
  void find_reach();

  bool any_tells() const;

  // The most certain slope. If no trial is certain, prefers a trial that confirms `gradient`, with
  // an error below a tenth of it; a slope that agrees with `gradient` comes before a kink. The
  // error covers the deviations of the other trials, as far as these are certain.
  Slope best(double gradient) const;

 private:
  struct Doubted {
    Slope slope;
    bool tells;
  };
  Doubted with_unseen(const Trial& trial) const;

  const std::vector<double>& rounding_;
  Tolerance tolerance_;
  Reach ask_reach_;
  std::vector<double> reach_;  // empty: `reach` not called yet
  std::vector<Trial> trials_;
};

}  // namespace tapehead
