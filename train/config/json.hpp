// A config as JSON, for programs that use tapehead.
#pragma once

#include <string>

#include "train/options/options.hpp"

namespace tapehead {

// All options as one JSON object, by section, in the order of the rows; an absent value is null.
// It is a valid config: a resolved one that is read again is the same.
std::string config_json(const Config& config);

}  // namespace tapehead
