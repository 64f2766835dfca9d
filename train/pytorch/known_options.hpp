// The options, and their choices, that model.py can be made for.
#pragma once

#include <string>
#include <vector>

#include "train/pytorch/changed_options.hpp"

namespace tapehead {

// Throws ConfigError that names the first option that there is no Python for.
void expect_known(const std::vector<ChangedOption>& options);

}  // namespace tapehead
