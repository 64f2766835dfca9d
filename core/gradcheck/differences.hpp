// Finite differences of the checked function, and their comparison with a gradient, element by
// element.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/slopes/slope.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// dy/dx for one element x of an input: a number for each element of the output.
using Column = std::vector<Estimate>;

Tolerance tolerance_of(const GradcheckOptions& options);

class Differences {
 public:
  explicit Differences(const Subject& subject);

  // dL/dx for one element of one input. Each trial starts with a step of a thousandth of a scale:
  // the input's largest number, the element, or 1. Stops at the first trial whose slope is
  // `gradient`, otherwise returns the best trial's slope.
  Slope element(std::size_t input, Index element, double gradient);

  // The slope of L along a direction in one input, to compare with the gradient.
  Slope along(std::size_t input, const Tensor& direction, double gradient);

  // The column of an element, with steps near those that gave `slope`.
  Column column(std::size_t input, Index element, const Slope& slope);

  // The column of the element that element() searched last, from its first steps.
  Column last_column() const;

 private:
  // Moves the inputs by about `distance`, and returns the exact distance.
  using Move = std::function<double(double distance)>;

  struct Far {
    std::vector<double> reach;  // for each output, how far the argument can go without changing it
    double late;                // a step that changes outputs that the usual steps do not; 0: none
  };

  Trial search(const Move& move, double first_step, bool strict);
  Slope search(const Move& move, const std::vector<double>& first_steps, double gradient,
               bool may_go_far);
  Rise rise(const Move& move, double step, std::vector<bool>& moved);
  std::vector<double> scales(std::size_t input, double at) const;
  Move move_of(std::size_t input, Index element);
  Far go_far(const Move& move, double step) const;
  Tensor value() const;  // NaN everywhere if the function throws

  const Subject& subject_;
  std::vector<Tensor> at_;
  Tensor centre_;
  std::vector<double> rounding_;  // of each output, times its cotangent
  static constexpr std::size_t kept_steps = 3;
  std::vector<Tensor> slopes_{};  // of the outputs, for the first steps of the last search
  double last_step_ = 0;          // the step of the last entry of slopes_
};

// Compares the gradient of one input. Calls `look_at` for each element.
Comparison compare(const CheckedRun& checked, Differences& differences, std::size_t input,
                   const std::function<void(Index element, const Column& column)>& look_at);

// The differing element with the largest error in multiples of its tolerance; elements that are not
// finite come first. `sure`: only elements that are certainly wrong, because a kink elsewhere does
// not excuse them. Returns -1 if there is no such element.
Index worst_of(const Comparison& comparison, const GradcheckOptions& options, bool sure);

}}  // namespace tapehead::TAPEHEAD_PRECISION
