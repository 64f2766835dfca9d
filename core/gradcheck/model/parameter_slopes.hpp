// Slopes of a model's loss along directions in one of its parameters.
#pragma once

#include "core/gradcheck/slopes/slope.hpp"
#include "core/tape/parameters.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Returns the loss of a model, which may be computed in several shards, and adds the gradients
// unless `gradients` is null.
using LossAndGradients = std::function<double(ParameterGradients* gradients)>;

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
  // `centre` is the loss at the unchanged parameters.
  ParameterSlopes(const LossAndGradients& loss, double centre, Tensor parameter);

  // Along a unit direction, from two runs.
  Slope quick(const Tensor& direction) const;

  // The same from as many runs as it needs. `first_share`: the first step, relative to the
  // parameter's size.
  Slope along(const Tensor& direction, double enough, double first_share) const;

 private:
  Rise rise(const Tensor& direction, double step) const;

  const LossAndGradients& loss_;
  double centre_;
  Tensor parameter_;
  double size_;   // the parameter's root mean square; 1 if that is zero
  double noise_;  // the rounding error of the loss, a sum over tokens and layers
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
