// One slope, searched for with steps of several sizes. The best result counts.
#pragma once

#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead {

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
