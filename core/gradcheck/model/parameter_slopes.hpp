// Slopes of a model's loss along directions in one of its parameters.
#pragma once

#include <functional>

#include "core/gradcheck/model/options.hpp"
#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class ParameterSlopes {
 public:
  ParameterSlopes(ParameterStore& store, const LossAndGradients& loss, double centre)
      : store_(store), loss_(loss), centre_(centre) {}

  // Along a unit direction, from two runs.
  Slope quick(const NamedParameter& parameter, const Tensor& direction);

  // The same, or the slope of one element, from as many runs as it needs.
  Slope along(const NamedParameter& parameter, const Tensor& direction, double enough);
  Slope element(const NamedParameter& parameter, Index element, double enough);

 private:
  using Move = std::function<void(Tensor& values, const Tensor& centre, double distance)>;
  Rise rise(const NamedParameter& parameter, const Move& move, double step);
  Slope search(const NamedParameter& parameter, const Move& move, double first_step, double enough);

  ParameterStore& store_;
  const LossAndGradients& loss_;
  double centre_;  // the loss at the unchanged parameters
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
