// The gradient check of a whole model: does the gradient of every parameter predict how the loss
// changes?
#pragma once

#include "core/gradcheck/model/parameter_check.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct ModelGradcheckReport {
  bool ok() const;
  std::string message() const;  // one finding after the other; empty when ok

  std::vector<Finding> findings;  // about the model as a whole
  std::vector<ParameterCheck> parameters;
};

// Compares, for each parameter by name, the gradient with the slope of the loss along a random
// direction, from two forward passes. If they differ, more steps tell a mistake from a kink or
// rounding, and single elements show what the mistake is. The parameters have their old values when
// it returns or throws. Throws ShapeError if the loss is not a single number.
ModelGradcheckReport gradcheck_model(ParameterStore& store, const ModelLoss& loss,
                                     const ModelGradcheckOptions& options = {});
ModelGradcheckReport gradcheck_model(ParameterStore& store, const LossAndGradients& loss,
                                     const ModelGradcheckOptions& options = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
