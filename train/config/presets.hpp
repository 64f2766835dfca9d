// Presets: named values for options of the model, each set in one place.
#pragma once

#include <string_view>
#include <vector>

#include "nn/options/model_options.hpp"

namespace tapehead {

struct PresetValue {
  std::string_view option;  // "model.norm"
  std::string_view value;   // as a config has it
};

// What the preset of these options gives to the options that the config does not set. The family
// decides only which embeddings there are to tie.
std::vector<PresetValue> preset_values(const ModelOptions& options);

}  // namespace tapehead
