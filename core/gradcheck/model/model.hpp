// The gradient check of a whole model: does the gradient of every parameter tell how the loss
// moves with it?
#pragma once

#include <string>
#include <vector>

#include "core/gradcheck/model/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct ModelGradcheckReport {
  bool ok() const;
  std::string message() const;  // what was found, one thing after the other; empty when ok

  std::vector<Finding> findings;  // about the model as a whole
  std::vector<ParameterCheck> parameters;
};

// For each parameter by name, the slope of the loss along a random direction by two runs of the
// forward pass, beside the gradient's. Where they differ, more steps tell a kink and rounding from
// a mistake, and a look at single elements tells what the mistake is. The parameters are as before
// when it returns or throws. Throws ShapeError for a loss that is not a single number.
ModelGradcheckReport gradcheck_model(ParameterStore& store, const ModelLoss& loss,
                                     const ModelGradcheckOptions& options = {});
ModelGradcheckReport gradcheck_model(ParameterStore& store, const LossAndGradients& loss,
                                     const ModelGradcheckOptions& options = {});

}  // namespace tapehead::inline TAPEHEAD_PRECISION
