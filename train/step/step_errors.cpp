#include "train/step/step_errors.hpp"

#include <fmt/format.h>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

NumericError numeric_error(Index step, const std::string& what) {
  return NumericError(
      fmt::format("step {}: {}\nearlier checkpoints are unchanged (a lower "
                  "training.learning_rate, or a longer training.warmup, may help)",
                  step, what));
}

void expect_finite_weights(const ParameterStore& store, Index step) {
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor values = store.value(parameter);
    const Index bad = first_not_finite(values);
    if (bad >= 0) {
      throw numeric_error(step, fmt::format("element {} of {} {} is {}", bad, parameter.name,
                                            parameter.shape.to_string(), values.data()[bad]));
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
