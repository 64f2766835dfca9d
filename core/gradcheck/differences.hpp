// Finite differences of the checked function, and their comparison with a gradient, element by
// element.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/slopes/slope.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// dy/dx for one element x of an input: a number for each element of the output, and its possible
// error.
struct Column {
  std::vector<double> value;
  std::vector<double> error;
};

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
  std::vector<Tensor> slopes_{};  // of the outputs, for the first steps of the last search
  double last_step_ = 0;          // the step of the last entry of slopes_
};

// Outputs whose slopes are hidden by larger slopes: in the sum over all outputs, an error in a
// slope of 1e-9 is lost beside a slope of 1.
class HiddenOutputs {
 public:
  explicit HiddenOutputs(const Subject& subject) : subject_(subject) {}

  // Records the outputs whose slopes for this element are far below the largest slope.
  void look_at(std::size_t input, Index element, const Column& column);

  // The recorded outputs whose own gradients seem wrong. Takes one backward pass per output.
  std::vector<Index> suspects() const;

 private:
  struct Small {
    Index output;
    std::size_t input;
    Index element;
    double slope;  // of L, through this output alone
    double error;
  };

  const Subject& subject_;
  std::vector<Small> small_{};
};

// The subject with a cotangent that is 0 except for one output.
Subject with_output_alone(const Subject& subject, Index output);

// Compares the gradient of one input. `hidden` looks at each element.
Comparison compare(const Subject& subject, Differences& differences, std::size_t input,
                   const Run& run, const GradientRounding& rounding, HiddenOutputs& hidden);

// The differing element with the largest error in multiples of its tolerance; elements that are not
// finite come first. -1: no element differs.
Index worst_of(const Comparison& comparison, const GradcheckOptions& options);

// worst_of(), but only elements that are certainly wrong: a kink elsewhere does not excuse them.
Index worst_sure(const Comparison& comparison, const GradcheckOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
