// One slope, looked for with steps of several sizes: the best of what they give.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/gradcheck/slopes/slope.hpp"
#include "core/gradcheck/slopes/tolerance.hpp"

namespace tapehead {

struct Trial {
  Slope slope;
  std::vector<bool> moved;  // for each output, whether it changed
};

class Trials {
 public:
  // For each output, how far the argument can go without a change; nothing: not known.
  using Reach = std::function<std::vector<double>()>;

  // `rounding`: what the rounding of each output may be, times its weight in the sum whose slope is
  // looked for. `reach` is asked where that matters.
  Trials(const std::vector<double>& rounding, const Tolerance& tolerance, Reach reach)
      : rounding_(rounding), tolerance_(tolerance), ask_reach_(std::move(reach)) {}

  // Whether the new trial tells the slope, and that it is `gradient`.
  bool settle(Trial trial, double gradient);

  bool any_tells() const;

  // The slope that is surest; one that agrees with `gradient` before a kink. Its error holds what
  // others make of it, as far as they are sure.
  Slope best(double gradient) const;

 private:
  bool settles(const Trial& trial, double gradient) const;
  struct Doubted {
    Slope slope;
    bool tells;
  };
  Doubted with_unseen(const Trial& trial) const;

  const std::vector<double>& rounding_;
  Tolerance tolerance_;
  Reach ask_reach_;
  std::vector<double> reach_;  // empty: not asked yet
  std::vector<Trial> trials_;
};

}  // namespace tapehead
