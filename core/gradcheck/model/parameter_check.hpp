// The gradient check of one parameter of a model: along a direction and, if that is wrong, element
// by element.
#pragma once

#include <functional>
#include <vector>

#include "core/gradcheck/model/model_check_options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct ParameterSubject {
  const LossAndGradients& loss;
  double centre;  // the loss at the unchanged parameters
  const ModelGradcheckOptions& options;
  std::string name;
  Tensor values;
  Tensor gradient;
  bool written;          // whether any gradient arrived
  std::uint64_t number;  // selects the directions
  // The gradients after changes in the last bits of all parameters.
  std::function<std::vector<Tensor>()> nearby;
};

ParameterCheck check_parameter(const ParameterSubject& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION
