// Whether the option training.freeze fits the parameters of its model.
#pragma once

#include <string>

#include "core/scalar.hpp"
#include "train/config/config.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Throws ConfigError with the place of the option if one of its patterns matches no parameter, with
// the names that come nearest, or if nothing is left to train.
void check_frozen(const LoadedConfig& loaded);

// The same for a resolved config, with another place: "file:line:column: training.freeze".
void check_frozen(const Config& config, const std::string& place);

}}  // namespace tapehead::TAPEHEAD_PRECISION
