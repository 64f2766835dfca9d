// The Python code of every PyTorch export, python/tapehead_torch.py, embedded at build time
// (cmake/embed.cmake), and the options and values that it supports.
#pragma once

#include "train/config/config.hpp"

namespace tapehead {

extern const std::string_view pytorch_module;

// The options of the model and of its attentions that differ from the defaults, in config order,
// without those that meaning_of() leaves out. The config must be resolved.
OptionValues changed_options(const Config& config);

// Throws ConfigError that names the first option that the Python code does not support.
void expect_known(const OptionValues& options);

}  // namespace tapehead
