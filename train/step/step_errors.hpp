// Numbers that are not finite, told with the step at which they were met.
#pragma once

#include <string>

#include "core/errors.hpp"
#include "core/tape/parameters.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

NumericError numeric_error(Index step, const std::string& what);

// What the action gives; a NumericError that it throws is told with the step.
template <class Action>
auto with_step(Index step, const Action& action) {
  try {
    return action();
  } catch (const NumericError& error) {
    throw numeric_error(step, error.what());
  }
}

// Throws NumericError. What is written to a checkpoint is finite: nothing good gives way to
// something bad.
void expect_finite_weights(const ParameterStore& store, Index step);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
