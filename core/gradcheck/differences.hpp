// Numeric derivatives of the function under a gradient check.
#pragma once

#include <vector>

#include "core/gradcheck/slope.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class Differences {
 public:
  explicit Differences(const Subject& subject);

  // dL/dx for one element of one input.
  Slope element(std::size_t input, Index element);

  // The slope of L along a direction in one input.
  Slope along(std::size_t input, const Tensor& direction);

  // dy/dx for one element of one input: a number for each element of the output.
  Tensor column(std::size_t input, Index element);

 private:
  // Puts a number in the place of one element, or moves a whole input, and takes it back.
  Slope search(const std::function<void(double distance)>& move, double first_step);
  double first_step(std::size_t input, double at) const;
  Tensor value() const;  // with NaN everywhere where the function throws

  const Subject& subject_;
  std::vector<Tensor> at_;
  Tensor centre_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
