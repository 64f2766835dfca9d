// Slopes of a model's loss along directions in one of its parameters.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "core/gradcheck/model/model_check_options.hpp"
#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Restores values in its destructor.
class Restored {
 public:
  explicit Restored(Tensor values) : values_(std::move(values)), before_(values_.copy()) {}
  ~Restored() { std::ranges::copy(before_.values(), values_.data()); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

  Tensor& values() { return values_; }
  const Tensor& before() const { return before_; }

 private:
  Tensor values_;
  Tensor before_;
};

class ParameterSlopes {
 public:
  ParameterSlopes(ParameterStore& store, const LossAndGradients& loss, double centre)
      : store_(store), loss_(loss), centre_(centre) {}

  // Along a unit direction, from two runs.
  Slope quick(const NamedParameter& parameter, const Tensor& direction);

  // The same, or the slope of one element, from as many runs as it needs. `first_share`: the first
  // step, relative to the parameter's size.
  Slope along(const NamedParameter& parameter, const Tensor& direction, double enough,
              double first_share);
  Slope element(const NamedParameter& parameter, Index element, double enough);

 private:
  using Move = std::function<void(Tensor& values, const Tensor& centre, double distance)>;
  Rise rise(const NamedParameter& parameter, const Move& move, double step);
  double noise(double step) const;  // the part of a slope that rounding of the loss may cause
  Slope search(const NamedParameter& parameter, const Move& move, double first_step, double enough);

  ParameterStore& store_;
  const LossAndGradients& loss_;
  double centre_;  // the loss at the unchanged parameters
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
