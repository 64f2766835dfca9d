// Presets: named values for options of the model, each set in one place.
#pragma once

#include <string_view>
#include <vector>

#include "train/options/options.hpp"

namespace tapehead {

struct PresetValue {
  std::string_view option;  // "model.norm"
  std::string_view value;   // as a config has it
};

// What the preset of the config's model gives to the options that the config does not set. The
// family decides only which embeddings there are to tie, and the task what is before and in the
// output layer.
std::vector<PresetValue> preset_values(const Config& config);

}  // namespace tapehead
