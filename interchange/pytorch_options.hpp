// The options, and their choices, that the PyTorch of an export has.
#pragma once

#include <string>
#include <vector>

#include "train/options/options.hpp"

namespace tapehead {

struct ChangedOption {
  std::string section;  // "model", or a kind of attention that the model has
  std::string name;
  std::string value;  // as a config has it
};

// The options of a model that are not as by default, in the order of a config. The options that
// trained weights do not depend on (keeps_meaning) are left out. The config must be resolved.
std::vector<ChangedOption> changed_options(const Config& config);

// Throws ConfigError that names the first option that there is no Python for.
void expect_known(const std::vector<ChangedOption>& options);

}  // namespace tapehead
