// The gradient check of one parameter of a model: along a direction and, if that is wrong, element
// by element.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/diagnosis/grid.hpp"
#include "core/gradcheck/model/model_check_options.hpp"
#include "core/gradcheck/model/parameter_slopes.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gradient and the differences of the loss along one direction in one parameter.
struct DirectionCheck {
  Tensor direction;
  double along;            // the slope by the gradient
  Slope slope;             // the slope by differences of the loss
  double size;             // typical size of such a slope
  bool too_small = false;  // differences cannot tell a slope of this size from another

  double apart() const;   // the difference of the two
  double error() const;   // the same, relative to `size`
  bool doubtful() const;  // whether the differences are too uncertain to tell
};

// The gradients of a parameter after changes in the last bits of all parameters.
using NearbyGradients = std::function<std::vector<Tensor>(const NamedParameter&)>;

class ParameterChecker {
 public:
  // `gradient` is the gradient of the parameter, `written` says whether any arrived, `number`
  // selects the directions.
  ParameterChecker(ParameterStore& store, const LossAndGradients& loss, double centre,
                   const ModelGradcheckOptions& options, const NamedParameter& parameter,
                   Tensor gradient, bool written, NearbyGradients nearby, std::uint64_t number)
      : slopes_(store, loss, centre),
        options_(options),
        parameter_(parameter),
        gradient_(std::move(gradient)),
        written_(written),
        nearby_(std::move(nearby)),
        number_(number) {}

  ParameterCheck check();

 private:
  DirectionCheck check_direction(std::uint64_t seed);
  DirectionCheck settled_direction();
  double rounding_along(const DirectionCheck& check);  // of the gradient
  Finding explain(const DirectionCheck& direction);
  Comparison compare_elements(const Grid& grid, double size, const std::vector<Tensor>& nearby);

  ParameterSlopes slopes_;
  const ModelGradcheckOptions& options_;
  const NamedParameter& parameter_;
  Tensor gradient_;
  bool written_;
  NearbyGradients nearby_;
  std::uint64_t number_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
