// Numeric derivatives of the function under a gradient check.
#pragma once

#include <functional>
#include <vector>

#include "core/gradcheck/slopes/slope.hpp"
#include "core/gradcheck/slopes/tolerance.hpp"
#include "core/gradcheck/slopes/trials.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// dy/dx for one element of an input: a number for each element of the output, and how far it may be
// off.
struct Column {
  std::vector<double> value;
  std::vector<double> error;
};

class Differences {
 public:
  explicit Differences(const Subject& subject);

  // dL/dx for one element of one input. The first steps are a thousandth of the input's largest
  // number, of the element, or of 1: until one tells that the slope is `gradient`, or all were
  // tried. Then the best of them.
  Slope element(std::size_t input, Index element, double gradient);

  // The slope of L along a direction in one input, beside what the gradient says of it. `terms`:
  // Σ |x_i gradient_i|, of which the input's own rounding has a share.
  Slope along(std::size_t input, const Tensor& direction, double gradient, double terms);

  // With the last steps of those that gave the slope.
  Column column(std::size_t input, Index element, const Slope& slope);

  // How the last element that was asked for moves the outputs, from its first steps.
  Column last_column() const;

 private:
  // Moves the inputs by about so much, and says by how much.
  using Move = std::function<double(double distance)>;

  struct Far {
    std::vector<double> reach;  // for each output, how far the argument can go without a change
    double late;                // a step that moves what the usual ones do not; 0: there is none
  };

  Trial search(const Move& move, double first_step, bool strict);
  Slope search(const Move& move, const std::vector<double>& first_steps, double gradient,
               bool may_go_far);
  Rise rise(const Move& move, double step, std::vector<bool>& moved);
  std::vector<double> scales(std::size_t input, double at) const;
  Move move_of(std::size_t input, Index element);
  Far go_far(const Move& move, double step) const;
  Tensor value() const;  // with NaN everywhere where the function throws
  Tolerance tolerance() const;

  const Subject& subject_;
  std::vector<Tensor> at_;
  Tensor centre_;
  std::vector<double> rounding_;  // of each output, times its cotangent
  double input_rounding_ = 0;     // of L, from that of moved inputs
  std::vector<Tensor> slopes_{};  // of the outputs, at the first steps of the last search
  double last_step_ = 0;          // of these
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
