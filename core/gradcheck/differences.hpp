// Finite differences of the function under a gradient check.
#pragma once

#include "core/gradcheck/slopes/slope.hpp"
#include "core/gradcheck/slopes/trials.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// dy/dx for one element of an input: one number for each element of the output, and how far it may
// be off.
struct Column {
  std::vector<double> value;
  std::vector<double> error;
};

Tolerance tolerance_of(const GradcheckOptions& options);

class Differences {
 public:
  explicit Differences(const Subject& subject);

  // dL/dx for one element of one input. The first step of each trial is a thousandth of a scale:
  // the input's largest number, the element, or 1. The trials end when one shows that the slope is
  // `gradient`. If none does, this returns the best of them.
  Slope element(std::size_t input, Index element, double gradient);

  // The slope of L along a direction in one input, to compare with the gradient.
  Slope along(std::size_t input, const Tensor& direction, double gradient);

  // Uses the last steps of those that gave the slope.
  Column column(std::size_t input, Index element, const Slope& slope);

  // How the element that was asked for last changes the outputs, from its first steps.
  Column last_column() const;

 private:
  // Moves the inputs by about `distance`, and returns the exact distance.
  using Move = std::function<double(double distance)>;

  struct Far {
    std::vector<double> reach;  // for each output, how far the argument can go without changing it
    double late;                // a step that moves what the usual steps do not; 0: none
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
  std::vector<Tensor> slopes_{};  // of the outputs, at the first steps of the last search
  double last_step_ = 0;          // the step of the last of these
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
