// The slope of a function of one number from differences at ever smaller steps, extrapolated to
// step 0, with an error estimate that tells rounding from a kink; and trials with first steps of
// several sizes, of which the best counts. Plain double arithmetic: it knows nothing about the
// function.
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

constexpr std::size_t most_steps = 8;
constexpr double step_shrink = 4;  // each step is this much smaller than the one before

// A limit, and how far it may be off.
struct Limit {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
};

// Richardson's tableau; only its last row is kept. If the truncation error is a series in h^order,
// each column removes one term of it, and the difference between neighbours estimates what remains
// (Ridders 1982, "Accurate computation of F'(x) and F'(x)F''(x)").
class Tableau {
 public:
  explicit Tableau(int order) : ratio_(order == 2 ? step_shrink * step_shrink : step_shrink) {}

  Limit add(double slope);  // the best of the new row
  std::size_t rows() const { return rows_; }

 private:
  double ratio_;
  std::array<double, most_steps> row_{};
  std::size_t rows_ = 0;
};

// The natural size of a slope: the slope if the outputs changed by their own size while the input
// changes by its own. Rounding errors of differences are measured relative to it. The first step is
// `first_step_share` of the input's size, and its noise is one rounding of the outputs.
constexpr double first_step_share = 1e-3;
double natural_size(const Slope& slope);

// How far a gradient may be from a slope by differences.
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

struct Trial {
  Slope slope;
  std::vector<bool> moved;  // for each output, whether it changed
};

class Trials {
 public:
  // For each output, how far the argument can go without changing it; null: not known.
  using Reach = std::function<std::vector<double>()>;

  // `rounding`: the possible rounding error of each output, times its weight in the sum whose slope
  // is searched for. `reach` is called only if it matters.
  Trials(const std::vector<double>& rounding, const Tolerance& tolerance, Reach reach)
      : rounding_(rounding), tolerance_(tolerance), ask_reach_(std::move(reach)) {}

  // Adds a trial. Returns whether it determines the slope, and the slope is `gradient`.
  bool settle(Trial trial, double gradient);

  // Asks how far the argument can go, unless that is known.
  void find_reach();

  bool any_tells() const;

  // The most certain slope. One that is `gradient` as far as it is known, to a tenth or better, is
  // preferred to others that do not tell, and one that agrees with it to a kink. Its error covers
  // the deviations of the other trials, as far as these are certain.
  Slope best(double gradient) const;

 private:
  struct Doubted {
    Slope slope;
    bool tells;
  };
  bool settles(const Doubted& doubted, double gradient) const;
  Doubted with_unseen(const Trial& trial) const;

  const std::vector<double>& rounding_;
  Tolerance tolerance_;
  Reach ask_reach_;
  std::vector<double> reach_;  // empty: not asked yet
  std::vector<Trial> trials_;
};

}  // namespace tapehead
