// The Python that every export for PyTorch gets, python/tapehead_torch.py, which is embedded in the
// program when it is built (cmake/embed.cmake); and the options, and their choices, that it has.
#pragma once

#include "train/config/config.hpp"

namespace tapehead {

extern const std::string_view pytorch_module;

// The options of a model and of the attentions that it has which are not as by default, in the
// order of a config, without those that meaning_of() leaves out. The config must be resolved.
OptionValues changed_options(const Config& config);

// Throws ConfigError that names the first option that there is no Python for.
void expect_known(const OptionValues& options);

}  // namespace tapehead
