// What the gradient check of a model is asked for, and what it says of each parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/gradcheck/precision.hpp"
#include "core/tape/parameters.hpp"
#include "core/tape/tape.hpp"

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

}  // namespace tapehead::inline TAPEHEAD_PRECISION
