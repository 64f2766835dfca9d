// Errors about numbers that are not finite, with the step at which they occurred.
#pragma once

#include <string>

#include "core/errors.hpp"
#include "core/tape/parameters.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

NumericError numeric_error(Index step, const std::string& what);

// Returns the result of the action. If it throws NumericError, the message also gives the step.
template <class Action>
auto with_step(Index step, const Action& action) {
  try {
    return action();
  } catch (const NumericError& error) {
    throw numeric_error(step, error.what());
  }
}

// Throws NumericError. Only finite weights are written to a checkpoint, so a good one is never
// replaced by a bad one.
void expect_finite_weights(const ParameterStore& store, Index step);

}}  // namespace tapehead::TAPEHEAD_PRECISION
