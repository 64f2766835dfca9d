// The Python that every export for PyTorch gets, python/tapehead_torch.py, which is embedded in the
// program when it is built (cmake/embed.cmake); and the options, and their choices, that it has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "train/options/options.hpp"

namespace tapehead {

extern const std::string_view pytorch_module;

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
