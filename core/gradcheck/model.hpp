// The gradient check of a whole model: does the gradient of every parameter tell how the loss
// moves with it?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/gradcheck/precision.hpp"
#include "core/gradcheck/verdict.hpp"
#include "core/parameters.hpp"
#include "core/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The loss of a model on one tape. The parameters' gradients go to `gradients`, as Pass takes it.
// Random draws must be the same at every call; dropout may be on, since its draws are addressed.
using ModelLoss = std::function<Var(Tape& tape, ParameterGradients& gradients)>;

// The same without a tape of the caller's choice, for a loss in several shards: adds the gradients
// unless that is null, and gives the loss.
using LossAndGradients = std::function<double(ParameterGradients* gradients)>;

struct ModelGradcheckOptions {
  double tolerance = 1e-6;  // of the slope along a direction, as a share of its size
  std::uint64_t seed = 1;   // of the directions
  Index elements = 64;      // looked at, at most, in a parameter whose direction is wrong
  std::function<bool(std::string_view name)> wanted{};  // which parameters; null: all
  std::function<void(Index done, Index all)> progress{};
};

struct ParameterCheck {
  std::string name;
  Shape shape;
  double error = 0;  // |backward - differences| along a direction, as a share of its size
  Finding finding;   // with verdict `correct` where nothing is wrong
};

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
